import { describe, expect, test } from "bun:test";
import { repaint } from "../../packages/host/src/worker/repaint/repaint.ts";
import { bytes, compareGhostty, Terminals } from "./support/terminals.ts";

const SIZE = { cols: 20, rows: 6 };
const terminals = new Terminals();

/** Wide characters in several rows, of which some will be cut in half at 5 columns. */
const WIDE = "漢字漢字\r\n漢字漢字\r\n字\x1b[5;1H";

describe.each([
  ["the alternate screen in view", `\x1b[?1049h${WIDE}`],
  ["the alternate screen out of view", `\x1b[?1049h${WIDE}\x1b[?1049l$ `],
  ["a main screen that does not wrap", `\x1b[?7l${WIDE}`],
  ["the history of a main screen that does not wrap", `\x1b[?7l${WIDE}${"\r\n".repeat(20)}`],
  ["behind an unfinished sequence", `\x1b[?1049h${WIDE}\x1b[38;5`],
  ["in origin mode", `\x1b[?1049h${WIDE}\x1b[2;4r\x1b[?6h`],
])("a wide character cut by a narrower terminal: %s", (_, output) => {
  test("leaves the state readable and the repaint exact", () => {
    using original = terminals.ghostty(SIZE);
    original.write(bytes(output));
    const pending = original.pendingBytes();
    original.resize(5, 6);
    expect(original.pendingBytes()).toEqual(pending);
    using viewer = terminals.ghostty(original.size);
    viewer.write(repaint(original, { historyLines: 100, viewer: "fresh" }));
    expect(compareGhostty(original, viewer, 100)).toEqual([]);
  });
});

test("an unfinished character is not lost, and the state is readable when it is there", () => {
  using engine = terminals.ghostty(SIZE);
  engine.write(Buffer.concat([bytes(`\x1b[?1049h${WIDE}`), Uint8Array.of(0xe6, 0xbc)]));
  engine.resize(5, 6);
  engine.write(Uint8Array.of(0xa2));
  expect(engine.visibleLines()).toEqual(["漢字", "漢字", "字", "", "漢", ""]);
});

test("what else is on the alternate screen stays, and the cursor where it was", () => {
  using engine = terminals.ghostty(SIZE);
  engine.write(bytes(`\x1b[?1049h${WIDE}ab\x1b[2;3H`));
  engine.resize(5, 6);
  expect(engine.visibleLines()).toEqual(["漢字", "漢字", "字", "", "ab", ""]);
  expect(engine.cursor).toEqual({ row: 1, col: 2, visible: true });
});

test("text of a program that does not wrap is not lost from the main screen", () => {
  using engine = terminals.ghostty(SIZE);
  engine.write(bytes("0123456789abcdef\r\n\x1b[?7l$ "));
  engine.resize(8, 6);
  expect(engine.recentLines(10, { unwrap: true })).toEqual(["0123456789abcdef", "$"]);
  expect(engine.modes.wraparound).toBe(false);
});
