import { describe, expect, test } from "bun:test";
import { OutputTracker } from "./output-tracker.ts";

const ESC = "\x1b";
const bytes = (text: string): Uint8Array => Buffer.from(text, "latin1");

/** What has to be written after this output, on 24 rows and 24 columns. Checked whole, byte by byte and for a second call. */
function restorationOf(output: string): string {
  const results = [[output], [...output]].map((chunks) => {
    const tracker = new OutputTracker(24);
    for (const chunk of chunks) tracker.push(bytes(chunk));
    const first = tracker.restore(24).bytes;
    expect(tracker.restore(24)).toEqual({ bytes: "", didMoveCursor: false });
    return first;
  });
  expect(results[1]).toBe(results[0] as string);
  return results[0] as string;
}

describe("a session that changed nothing", () => {
  test.each([
    ["plain text", "hello\r\n\tworld\x07\x08"],
    ["colours that were switched off", `${ESC}[1;31mred${ESC}[0m ${ESC}[4munder${ESC}[24m ${ESC}[38;5;12mx${ESC}[39m`],
    ["true colour with sub-parameters, switched off", `${ESC}[38:2::1:2:3;48:5:7;58:5:1;4:3mx${ESC}[39;49;59;4:0m`],
    ["an empty SGR", `${ESC}[7mx${ESC}[m`],
    ["cursor movement and erasing", `${ESC}[2J${ESC}[H${ESC}[10;5H${ESC}[K${ESC}[3A${ESC}7${ESC}8${ESC}M`],
    ["modes set and reset", `${ESC}[?25l${ESC}[?25h${ESC}[?1000;1006h${ESC}[?1006;1000l${ESC}[?2004h${ESC}[?2004l`],
    ["modes set to what they are", `${ESC}[?25h${ESC}[?7h${ESC}[?1049l${ESC}[?2004l${ESC}[r${ESC}[1;24r${ESC}[0 q`],
    ["an alternate screen that was left", `${ESC}[?1049h${ESC}[>1uvim${ESC}[<u${ESC}[?1049l`],
    [
      "queries",
      `${ESC}[c${ESC}[>c${ESC}[>q${ESC}[6n${ESC}[?u${ESC}]11;?${ESC}\\${ESC}]4;1;?\x07${ESC}[?2026$p${ESC}P$qm${ESC}\\`,
    ],
    [
      "a link and a progress bar that were closed",
      `${ESC}]8;id=1;http://x/${ESC}\\text${ESC}]8;;${ESC}\\${ESC}]9;4;1;50\x07${ESC}]9;4;0\x07`,
    ],
    ["modes whose default nobody knows", `${ESC}[?1034h${ESC}[?1007h${ESC}[?2027h${ESC}[?9999h`],
    ["a kitty stack that was popped", `${ESC}[>1u${ESC}[>3u${ESC}[<2u`],
    [
      "a terminal that was reset",
      `${ESC}[?1000;25h${ESC}[>1u${ESC}[31m${ESC}[?1049h${ESC}[3;9r${ESC}[5 q${ESC}H${ESC}c`,
    ],
    [
      "a title, a clipboard write and other strings",
      `${ESC}]0;t\x07${ESC}]52;c;${"QUJD".repeat(99)}${ESC}\\${ESC}_Gi=1;${ESC}\\${ESC}^x${ESC}\\`,
    ],
    ["tab stops that were set where they are", `${ESC}[3g${ESC}[9G${ESC}H${ESC}[17G${ESC}H${ESC}]22;text${ESC}\\`],
    ["controls in the text of a string", `${ESC}]0;\u0001[?25l[31m\x07${ESC}P[?1000h${ESC}\\`],
  ])("gets nothing: %s", (_name, output) => {
    expect(restorationOf(output)).toBe("");
  });
});

describe("what a session left switched on is undone, and nothing else", () => {
  test.each([
    ["mouse modes", `${ESC}[?1000h${ESC}[?1002;1006h`, `${ESC}[?1000l${ESC}[?1002l${ESC}[?1006l`],
    ["a hidden cursor", `${ESC}[?25l`, `${ESC}[?25h`],
    ["no wrap", `${ESC}[?7l`, `${ESC}[?7h`],
    ["bracketed paste and focus", `${ESC}[?2004h${ESC}[?1004h`, `${ESC}[?2004l${ESC}[?1004l`],
    ["a synchronized update, first of all", `${ESC}[31m${ESC}[?2026h`, `${ESC}[?2026l${ESC}[0m`],
    ["kitty keys", `${ESC}[>1u`, `${ESC}[<1u`],
    ["kitty keys pushed twice and popped once", `${ESC}[>1u${ESC}[>5u${ESC}[<u`, `${ESC}[<1u`],
    ["kitty keys set without a push", `${ESC}[=5;1u`, `${ESC}[=0u`],
    ["modifyOtherKeys", `${ESC}[>4;2m`, `${ESC}[>4m`],
    ["the keypad", `${ESC}=`, `${ESC}>`],
    ["application cursor keys", `${ESC}[?1h`, `${ESC}[?1l`],
    ["a cursor shape", `${ESC}[5 q`, `${ESC}[0 q`],
    ["a scroll region, without moving the cursor", `${ESC}[3;20r`, `${ESC}7${ESC}[r${ESC}8`],
    ["colours", `${ESC}[1;31mred`, `${ESC}[0m`],
    ["half of the attributes", `${ESC}[1;31m${ESC}[39m`, `${ESC}[0m`],
    ["insert mode", `${ESC}[4h`, `${ESC}[4l`],
    ["line drawing", `${ESC}(0`, `${ESC}(B`],
    ["a character set of 96", `${ESC}-A`, `${ESC})B`],
    ["shift-out", "text\x0e", "\x0f"],
    ["an open link", `${ESC}]8;;http://x/\x07text`, `${ESC}]8;;${ESC}\\`],
    ["a link longer than is kept", `${ESC}]8;id=${"i".repeat(99)};http://x/${ESC}\\text`, `${ESC}]8;;${ESC}\\`],
    ["colours of the terminal", `${ESC}]11;#112233\x07${ESC}]4;1;red\x07`, `${ESC}]111${ESC}\\${ESC}]104${ESC}\\`],
    ["a progress bar", `${ESC}]9;4;1;20\x07`, `${ESC}]9;4;0${ESC}\\`],
    ["colours that come back with a saved cursor", `${ESC}[31m${ESC}7${ESC}[0m${ESC}8`, `${ESC}[0m`],
    [
      "colours that come back when the other screen is left",
      `${ESC}[31m${ESC}[?1049h${ESC}[0m${ESC}[?1049l`,
      `${ESC}[0m`,
    ],
    [
      "colours that will come back when the other screen is left",
      `${ESC}[31m${ESC}[?1049h${ESC}[0m`,
      `${ESC}[?1049l${ESC}[0m`,
    ],
    ["a screen that two modes led to", `${ESC}[?47h${ESC}[?1049h`, `${ESC}[?1049;47l`],
    [
      "a region of the main screen, under one of the other",
      `${ESC}[2;5r${ESC}[?1049h${ESC}[r`,
      `${ESC}[?1049l${ESC}7${ESC}[r${ESC}8`,
    ],
    ["a pointer shape", `${ESC}]22;pointer${ESC}\\`, `${ESC}]22;text${ESC}\\${ESC}]22;${ESC}\\`],
    [
      "one tab stop at a place that nobody told",
      `${ESC}[3g${ESC}[9G${ESC}H${ESC}[17G${ESC}H\r  ${ESC}[1C${ESC}H`,
      `${ESC}7${ESC}[3g${ESC}[9G${ESC}H${ESC}[17G${ESC}H${ESC}8`,
    ],
    ["tab stops", `${ESC}[3g`, `${ESC}7${ESC}[3g${ESC}[9G${ESC}H${ESC}[17G${ESC}H${ESC}8`],
    ["protected cells", `${ESC}[1"q`, `${ESC}[0"q`],
    ["the alternate screen", `${ESC}[?1049h`, `${ESC}[?1049l`],
    ["the older alternate screens, with the cursor", `${ESC}7${ESC}[?47h`, `${ESC}[?47l${ESC}8`],
    ["keys of both screens, each on its own", `${ESC}[>1u${ESC}[?1049h${ESC}[>7u`, `${ESC}[<1u${ESC}[?1049l${ESC}[<1u`],
    ["a sequence cut short", `${ESC}[?25l${ESC}[38;5`, `\x18${ESC}[?25h`],
    ["a string cut short", `${ESC}]0;half a tit`, "\x18"],
  ])("%s", (_name, output, expected) => {
    expect(restorationOf(output)).toBe(expected);
  });

  test("all of a full-screen program", () => {
    const modes = ["1000", "1002", "1003", "1004", "1005", "1006", "1015", "1016", "2004"];
    const output = `${modes.map((mode) => `${ESC}[?${mode}h`).join("")}${ESC}[?25l${ESC}[7m`;
    const resets = modes.map((mode) => `${ESC}[?${mode}l`).join("");
    expect(restorationOf(output)).toBe(`${ESC}[0m${resets}${ESC}[?25h`);
  });

  test("the screen is left before colours and modes are, since leaving it brings saved ones back", () => {
    expect(restorationOf(`${ESC}[?1049h${ESC}[2;5r${ESC}[31m${ESC}[?25l`)).toBe(
      `${ESC}7${ESC}[r${ESC}8${ESC}[?1049l${ESC}[0m${ESC}[?25h`,
    );
  });
});

test("origin mode on the main screen costs the cursor its place, which is told", () => {
  const tracker = new OutputTracker(24);
  tracker.push(bytes(`${ESC}[3;9r${ESC}[?6h`));
  expect(tracker.restore(80)).toEqual({ bytes: `${ESC}[?6l${ESC}7${ESC}[r${ESC}8`, didMoveCursor: true });
});

test("titles that the session pushed are counted", () => {
  const tracker = new OutputTracker(24);
  tracker.push(bytes(`${ESC}[22;0t${ESC}]2;new\x07`));
  expect(tracker.hasTitle).toBe(true);
  expect(tracker.takePushedTitles()).toBe(1);
  expect(tracker.takePushedTitles()).toBe(0);
});
