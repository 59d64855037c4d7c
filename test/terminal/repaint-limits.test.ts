import { expect, test } from "bun:test";
import { repaint } from "../../packages/host/src/worker/repaint/repaint.ts";
import { KNOWN_LIMITS, type LimitName, unexplained } from "./support/known-limits.ts";
import { bytes, compareGhostty, Terminals } from "./support/terminals.ts";

const SIZE = { cols: 20, rows: 6 };
const LINE = "x".repeat(20);
const terminals = new Terminals();

/** For each limit a stream that runs into it, and how the comparison names what then differs. */
const EXAMPLES: Readonly<Record<LimitName, { readonly output: string; readonly differs: readonly string[] }>> = {
  "repeated character": { output: "\x1b[?1049hx\x1b#8", differs: ["header.previousCodepoint"] },
  "continuation without its line": { output: `${LINE}${LINE}xx\x1b[1J`, differs: ["primary.row2.flags"] },
  "wrap into a line of its own": {
    output: `${"\r\n".repeat(12)}\x1b[H${LINE}x\r\x1b[M\x1b[6;1H${"\r\n".repeat(4)}`,
    differs: ["primary.row-4.flags"],
  },
  "prompt mark on a wrapped row": {
    output: `\x1b]133;A\x07${LINE}p\r\x1b]133;C\x07`,
    differs: ["primary.row1.flags"],
  },
  "wrap pending over an erased cell": {
    output: `${LINE}\x1b[?1049h`,
    differs: ["header.previousCodepoint", "alternate.row0.col19"],
  },
  "wrap pending in mid line": { output: `${LINE}\x1b[2Z`, differs: ["primary.position"] },
  "unused last column": { output: "\x1b[1;2r\x1b[6;20H漢", differs: ["primary.row5.col19"] },
  "wide blank": { output: "\x1b(0漢\x1b(B", differs: ["primary.row0.col0", "primary.row0.col1"] },
  "attributes without a character": {
    output: "\x1b[4;44m\x1b[?69h\x1b[1;5s\x1b[1;5H漢",
    differs: ["primary.row0.col4"],
  },
  "stray mode 47 and a prompt": {
    output: "\x1b[?47h\x1b[?1049l\x1b[2;1H\x1b]133;P\x07\x1b[3;1H",
    differs: ["header.modes"],
  },
  "default cursor after a shape": {
    output: "\x1b[5 q\x1b[?1049h\x1b[0 q\x1b[?1049l",
    differs: ["header.cursorIsDefault"],
  },
  "cursor outside of its region": {
    output: "\x1b[?6h\x1b[6;6H\x1b7\x1b[2;3r\x1b8\x1b[1m",
    differs: ["primary.saved"],
  },
};

test("every limit has an example", () => {
  expect(Object.keys(EXAMPLES).sort()).toEqual(Object.keys(KNOWN_LIMITS).sort());
});

test.each(Object.entries(EXAMPLES))("%s", (_, { output, differs }) => {
  using original = terminals.ghostty(SIZE);
  using viewer = terminals.ghostty(SIZE);
  original.write(bytes(output));
  viewer.write(repaint(original, { historyLines: 100, viewer: "fresh" }));
  const differences = compareGhostty(original, viewer, 100);
  expect(differences.map((line) => line.slice(0, line.indexOf(":")))).toEqual([...differs]);
  expect(unexplained(differences, original)).toEqual([]);
});
