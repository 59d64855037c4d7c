import { describe, expect, test } from "bun:test";
import { repaint } from "../../packages/host/src/worker/repaint/repaint.ts";
import { cutOffsets } from "./support/cut-offsets.ts";
import { seededRandom } from "./support/random.ts";
import { play, type Recording, readRecordings, sizeAt } from "./support/recording.ts";
import { compareGhostty, compareXterm, Terminals } from "./support/terminals.ts";

const HISTORY = 1000;
/**
 * What xterm.js and the worker's engine do not agree on, whoever repaints: which erasing ends a soft wrap, and whether a saved
 * cursor scrolls along with its line. In the end all recordings are alike in these too.
 */
const MEANT_OTHERWISE = /^primary\.(row-?\d+\.flags|saved\.row):/;
const terminals = new Terminals();
const recordings = readRecordings();

test("there are recordings", () => {
  expect(recordings.length).toBeGreaterThanOrEqual(60);
});

/** Calls back at each cut with a terminal that is there, and the repaint of a session that is. */
function* cutsOf(
  recording: Recording,
  viewer: "fresh" | "used",
): Generator<{ cut: number; source: ReturnType<Terminals["ghostty"]>; painted: Uint8Array }> {
  using source = terminals.ghostty(recording);
  let at = 0;
  for (const cut of cutOffsets(recording.output)) {
    play(recording, source, [at, cut]);
    at = cut;
    yield { cut, source, painted: repaint(source, { historyLines: viewer === "fresh" ? HISTORY : 0, viewer }) };
  }
}

describe.each(recordings.map((recording) => [recording.name, recording] as const))("%s", (_, recording) => {
  const end = recording.output.length;

  test("is continued exactly by a fresh terminal", () => {
    using whole = terminals.ghostty(recording);
    play(recording, whole, [0, end]);
    for (const { cut, source, painted } of cutsOf(recording, "fresh")) {
      using viewer = terminals.ghostty(sizeAt(recording, cut));
      viewer.write(painted);
      expect([cut, ...compareGhostty(source, viewer, HISTORY)]).toEqual([cut]);
      play(recording, viewer, [cut, end]);
      expect([cut, ...compareGhostty(whole, viewer, HISTORY)]).toEqual([cut]);
    }
  });

  test("is continued exactly by a terminal that missed a part of it", () => {
    const random = seededRandom(end);
    using whole = terminals.ghostty(recording);
    play(recording, whole, [0, end]);
    for (const { cut, painted } of cutsOf(recording, "used")) {
      using viewer = terminals.ghostty(recording);
      play(recording, viewer, [0, Math.floor(random() * cut)]);
      const { cols, rows } = sizeAt(recording, cut);
      viewer.resize(cols, rows);
      viewer.write(painted);
      play(recording, viewer, [cut, end]);
      expect([cut, ...compareGhostty(whole, viewer, 0)]).toEqual([cut]);
    }
  });

  // Terminals differ in what a resize does (here: to tab stops, and to lines that are reflowed), so there is none.
  const unresized = { ...recording, resizes: [] };

  test("is continued exactly by xterm.js", () => {
    using original = terminals.xterm(unresized);
    let at = 0;
    for (const { cut, painted } of cutsOf(unresized, "fresh")) {
      const border = characterBorder(recording.output, cut);
      original.write(recording.output.subarray(at, border));
      at = border;
      using viewer = terminals.xterm(unresized);
      viewer.write(painted);
      const differences = compareXterm(original, viewer, HISTORY).filter((line) => !MEANT_OTHERWISE.test(line));
      expect([cut, ...differences]).toEqual([cut]);
    }
    original.write(recording.output.subarray(at));
    for (const { cut, painted } of cutsOf(unresized, "fresh")) {
      using viewer = terminals.xterm(unresized);
      // In one piece, for the same reason.
      viewer.write(Buffer.concat([painted, recording.output.subarray(cut)]));
      expect([cut, ...compareXterm(original, viewer, HISTORY)]).toEqual([cut]);
    }
  });
});

/** Where the character begins that is cut by `cut`: xterm.js loses one with a byte 0x80 in it when it comes in two pieces. */
function characterBorder(output: Uint8Array, cut: number): number {
  let border = cut;
  while (border > 0 && ((output[border] ?? 0) & 0xc0) === 0x80) border -= 1;
  return border;
}
