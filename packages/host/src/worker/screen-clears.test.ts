import { expect, test } from "bun:test";
import { openTerminalView } from "./open-terminal-view.ts";
import { OutputRing } from "./output-ring.ts";
import { TerminalFeed } from "./terminal-feed.ts";
import type { TerminalView } from "./terminal-view.ts";

const OPTIONS = { cols: 80, rows: 24, historyLines: 1_000, listener: {} };
const NUMBERS = Array.from({ length: 40 }, (_, index) => `${index + 1}\r\n`).join("");

/** As a worker feeds it, in pieces. */
function fed(output: string, pieceBytes: number): TerminalView {
  const view = openTerminalView(OPTIONS);
  const ring = new OutputRing(1_048_576);
  const feed = new TerminalFeed({ ring, view, historyLines: OPTIONS.historyLines, from: 0 });
  const content = Buffer.from(output, "latin1");
  for (let at = 0; at < content.length; at += pieceBytes) {
    const piece = content.subarray(at, at + pieceBytes);
    ring.append(piece);
    feed.take(piece);
  }
  feed.catchUp();
  return view;
}

test.each([1, 2, 3, 5, 4_096])(
  "C8: what was on a screen that is cleared stays in the history (pieces of %p)",
  (bytes) => {
    const { engine } = fed(`${NUMBERS}\x1b[H\x1b[2J$ `, bytes);
    expect(engine.visibleLines().filter((line) => line !== "")).toEqual(["$"]);
    expect(engine.recentLines(100)).toEqual([...NUMBERS.trimEnd().split("\r\n"), "$"]);
  },
);

test.each([
  ["the cursor in the middle", `${NUMBERS}\x1b[10;20H\x1b[2Jx`],
  ["a background", `${NUMBERS}\x1b[44m\x1b[2J\x1b[Hx`],
  ["a line to be wrapped", `${"x".repeat(80)}\x1b[2Jy`],
  ["a saved cursor", `ab\x1b7cd\x1b[5;5H\x1b[2J\x1b8x`],
  ["origin mode without margins", `${NUMBERS}\x1b[?6h\x1b[5;5H\x1b[2Jx`],
  ["margins", `${NUMBERS}\x1b[3;10r\x1b[5;5H\x1b[2Jx`],
  ["the alternate screen", `main\x1b[?1049h${NUMBERS}\x1b[2Jx\x1b[?1049ly`],
  ["nothing on it", "\x1b[2J\x1b[H$ "],
  ["twice", `${NUMBERS}\x1b[H\x1b[2J\x1b[2J\x1b[2Jx`],
])("the screen is that of a terminal that forgets: %s", (_name, output) => {
  const plain = openTerminalView(OPTIONS);
  plain.engine.write(Buffer.from(output, "latin1"));
  const repaint = (view: TerminalView): string =>
    Buffer.from(view.repaint({ historyLines: 0, viewer: "used", screens: "both" })).toString("latin1");
  for (const bytes of [1, 3, 4_096]) expect(repaint(fed(output, bytes))).toBe(repaint(plain));
});

test("a history that is cleared as well is empty", () => {
  expect(fed(`${NUMBERS}\x1b[H\x1b[2J\x1b[3J$ `, 4_096).engine.historyRows).toBe(0);
});
