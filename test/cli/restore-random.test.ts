import { expect, test } from "bun:test";
import { OutputTracker } from "../../packages/cli/src/attach/output-tracker.ts";
import { seededRandom } from "../terminal/support/random.ts";
import { stateDifferences } from "./support/local-state.ts";

const ESC = "\u001b";
const SEEDS = 1_000;
const PIECES = 30;

/** Everything that leaves something behind, and what takes some of it back. */
const SEQUENCES: readonly string[] = [
  ..."1 5 6 7 12 25 45 66 69 1000 1002 1003 1004 1005 1006 1015 1016 2004 2026 2031 2048 1049"
    .split(" ")
    .flatMap((mode) => [`${ESC}[?${mode}h`, `${ESC}[?${mode}l`]),
  ...["4h", "4l", "20h", "20l", "3;9r", "r", "3g", "g", "!p", ">1u", ">5u", "<u", "<2u", "=3;1u", "=1;2u"].map(
    (end) => `${ESC}[${end}`,
  ),
  ...["0m", "1;31m", "4:3m", "39m", "48;2;1;2;3m", "58;5;9m", "5 q", "0 q", '1"q', '0"q', ">4;2m", ">4m"].map(
    (end) => `${ESC}[${end}`,
  ),
  ...["7", "8", "7", "8", "=", ">", "(0", "(B", ")0", "n", "o", "H", "c"].map((end) => ESC + end),
  ...[
    "]2;title\u0007",
    "]8;;http://x/\u0007",
    "]8;;\u0007",
    "]4;1;red\u0007",
    "]104\u0007",
    "]10;red\u0007",
    "]110\u0007",
  ].map((end) => ESC + end),
  "\u000e",
  "\u000f",
  "text",
  "\r\n",
  `${ESC}[5;5H`,
  `${ESC}[H${ESC}[J`,
];

test("after any mixture of sequences the terminal is as it was, in whatever pieces they come", () => {
  const failed: unknown[] = [];
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const random = seededRandom(seed);
    const below = (limit: number): number => Math.floor(random() * limit);
    const stream = Array.from({ length: PIECES }, () => SEQUENCES[below(SEQUENCES.length)]).join("");
    const bytes = Buffer.from(stream, "latin1");
    const tracker = new OutputTracker(24);
    for (let at = 0; at < bytes.length; ) {
      const piece = bytes.subarray(at, at + 1 + below(20));
      tracker.push(piece);
      at += piece.length;
    }
    const differences = stateDifferences("", stream + tracker.restore(80).bytes, "all but content");
    if (differences.length > 0) failed.push({ seed, stream, differences });
  }
  expect(failed).toEqual([]);
}, 60_000);
