import { describe, expect, test } from "bun:test";
import { openTerminalView } from "./open-terminal-view.ts";
import { OutputRing } from "./output-ring.ts";
import { TerminalFeed } from "./terminal-feed.ts";
import type { TerminalView } from "./terminal-view.ts";

const HISTORY_LINES = 1_000;

function openView(): TerminalView {
  return openTerminalView({ cols: 80, rows: 24, historyLines: HISTORY_LINES, listener: {} });
}

/** Numbered lines of varying length; any line too many, too few or misplaced shows. */
function lines(count: number, options: { end?: string; pad?: number } = {}): string {
  const { end = "\r\n", pad = 90 } = options;
  return Array.from({ length: count }, (_, index) => `${index} ${"ab ü 漢".repeat(index % (pad / 6))}${end}`).join("");
}

interface Fed {
  readonly lazy: TerminalView;
  readonly all: TerminalView;
  /** Bytes that the lazy one was given. */
  readonly bytes: number;
}

/** Feeds the same output lazily and at once, in pieces as a PTY gives them. */
function feedBoth(output: string, pieceBytes = 4_093): Fed {
  const [lazy, all] = [openView(), openView()];
  const ring = new OutputRing(10_000_000);
  let bytes = 0;
  const { engine } = lazy;
  const write = engine.write.bind(engine);
  engine.write = (piece) => {
    bytes += piece.length;
    write(piece);
  };
  const feed = new TerminalFeed({ ring, view: lazy, historyLines: HISTORY_LINES, from: 0 });
  const content = Buffer.from(output);
  for (let at = 0; at < content.length; at += pieceBytes) {
    const piece = content.subarray(at, at + pieceBytes);
    ring.append(piece);
    feed.take(piece);
    all.engine.write(piece);
  }
  feed.catchUp();
  return { lazy, all, bytes };
}

function expectSame({ lazy, all }: Fed): void {
  expect(lazy.engine.recentLines(HISTORY_LINES)).toEqual(all.engine.recentLines(HISTORY_LINES));
  const historyLines = HISTORY_LINES - 24;
  expect(
    Buffer.from(lazy.repaint({ historyLines, viewer: "used", screens: "both" })).equals(
      Buffer.from(all.repaint({ historyLines, viewer: "used", screens: "both" })),
    ),
  ).toBe(true);
}

const FLOOD = lines(60_000);

describe("TerminalFeed", () => {
  test("of a flood of lines feeds the last ones, and the state is the same", () => {
    const fed = feedBoth(`before\r\nhalf a line${FLOOD}and after`);
    expectSame(fed);
    expect(fed.bytes).toBeLessThan(FLOOD.length / 4);
  });

  test.each([
    ["colours before", `\x1b[31;44mred\x1b[K${FLOOD}`],
    ["sequences in between", `${lines(30_000)}\x1b[1mbold\x1b]0;title\x07${lines(30_000)}\x1b[0m end`],
    ["the alternate screen", `main\x1b[?1049h\x1b[5;5H${FLOOD}`],
    ["another character set", `\x1b(0qqq\x0e${FLOOD}`],
    ["insert mode and no wrapping", `\x1b[4h\x1b[?7l${FLOOD}`],
    ["tabs and returns", lines(50_000, { end: "\t|\r>\r\n" })],
    ["C1 controls as characters", `${lines(30_000)}\u009b31mred${lines(30_000)}`],
  ])("after %s too", (_name, output) => {
    expectSame(feedBoth(output));
  });

  test.each([
    ["margins at the bottom", `\x1b[1;10r\x1b[24;1H${FLOOD}`],
    ["a region that scrolls", `top\x1b[5;10r\x1b[6;1H${FLOOD}`],
    ["an unfinished sequence", `\x1b]0;${FLOOD}`],
    ["no carriage returns", lines(60_000, { end: "\n" })],
    ["no lines at all", "x".repeat(2_000_000)],
    ["few long lines", lines(400, { pad: 60_000 })],
  ])("leaves out nothing with %s", (_name, output) => {
    const fed = feedBoth(output);
    expectSame(fed);
    expect(fed.bytes).toBe(Buffer.byteLength(output));
  });

  test("is exact wherever pieces are cut", () => {
    for (const pieceBytes of [1_021, 16_384, 65_536]) {
      expectSame(feedBoth(`${FLOOD}\x1b[7mend`, pieceBytes));
    }
  });

  test("a look in the middle sees everything up to there", () => {
    const [lazy, all] = [openView(), openView()];
    const ring = new OutputRing(10_000_000);
    const feed = new TerminalFeed({ ring, view: lazy, historyLines: HISTORY_LINES, from: 0 });
    const content = Buffer.from(FLOOD);
    for (let at = 0; at < content.length; at += 50_000) {
      const piece = content.subarray(at, at + 50_000);
      ring.append(piece);
      feed.take(piece);
      all.engine.write(piece);
      if (at % 400_000 === 0) {
        feed.catchUp();
        expect(lazy.engine.recentLines(HISTORY_LINES)).toEqual(all.engine.recentLines(HISTORY_LINES));
      }
    }
  });
});
