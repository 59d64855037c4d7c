import { describe, expect, test } from "bun:test";
import { repaint } from "../../packages/host/src/worker/repaint/repaint.ts";
import { seededRandom } from "./support/random.ts";
import { readRecordings } from "./support/recording.ts";
import { compareGhostty, compareXterm, Terminals } from "./support/terminals.ts";

const CUTS = 12;
const HISTORY = 1000;
const terminals = new Terminals();
const recordings = readRecordings();

test("there are recordings", () => {
  expect(recordings.length).toBeGreaterThanOrEqual(8);
});

describe.each(recordings.map((recording) => [recording.name, recording] as const))("%s", (name, recording) => {
  const { output } = recording;
  const random = seededRandom(name.length);
  const cuts = Array.from({ length: CUTS }, () => Math.floor(random() * output.length));

  test("is continued exactly by a fresh terminal", () => {
    using whole = terminals.ghostty(recording);
    whole.write(output);
    for (const cut of cuts) {
      using source = terminals.ghostty(recording);
      using viewer = terminals.ghostty(recording);
      source.write(output.subarray(0, cut));
      viewer.write(repaint(source, { historyLines: HISTORY, viewer: "fresh" }));
      expect([cut, ...compareGhostty(source, viewer, HISTORY)]).toEqual([cut]);
      viewer.write(output.subarray(cut));
      expect([cut, ...compareGhostty(whole, viewer, HISTORY)]).toEqual([cut]);
    }
  });

  test("is continued exactly by a terminal that missed a part of it", () => {
    using whole = terminals.ghostty(recording);
    whole.write(output);
    for (const cut of cuts) {
      using source = terminals.ghostty(recording);
      using viewer = terminals.ghostty(recording);
      source.write(output.subarray(0, cut));
      viewer.write(output.subarray(0, Math.floor(random() * cut)));
      viewer.write(repaint(source, { historyLines: 0, viewer: "used" }));
      viewer.write(output.subarray(cut));
      expect([cut, ...compareGhostty(whole, viewer, 0)]).toEqual([cut]);
    }
  });

  test("is continued exactly by xterm.js", () => {
    using whole = terminals.xterm(recording);
    whole.write(output);
    for (const cut of cuts) {
      using source = terminals.ghostty(recording);
      using viewer = terminals.xterm(recording);
      source.write(output.subarray(0, cut));
      viewer.write(repaint(source, { historyLines: HISTORY, viewer: "fresh" }));
      viewer.write(output.subarray(cut));
      expect([cut, ...compareXterm(whole, viewer, HISTORY)]).toEqual([cut]);
    }
  });
});
