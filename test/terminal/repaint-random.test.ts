import { describe, expect, test } from "bun:test";
import { repaint } from "../../packages/host/src/worker/repaint/repaint.ts";
import { unexplained } from "./support/known-limits.ts";
import { seededRandom } from "./support/random.ts";
import { randomStream } from "./support/random-stream.ts";
import { compareGhostty, Terminals } from "./support/terminals.ts";

const HISTORY = 100;
const STREAMS = 250;
const CUTS = 3;
const terminals = new Terminals();

describe.each([
  ["valid sequences", { cols: 20, rows: 6, length: 120, isHostile: false }],
  ["broken and hostile sequences", { cols: 20, rows: 6, length: 160, isHostile: true }],
  ["a tiny grid", { cols: 9, rows: 3, length: 120, isHostile: true }],
  ["long streams", { cols: 40, rows: 10, length: 1500, isHostile: true }],
] as const)("%s", (_, options) => {
  test("are repainted exactly wherever they are cut", () => {
    for (let seed = 1; seed <= STREAMS; seed += 1) {
      const stream = randomStream({ ...options, seed });
      const random = seededRandom(seed * 31);
      for (let index = 0; index < CUTS; index += 1) {
        const cut = Math.floor(random() * (stream.length + 1));
        using original = terminals.ghostty(options);
        using viewer = terminals.ghostty(options);
        original.write(stream.subarray(0, cut));
        viewer.write(repaint(original, { historyLines: HISTORY, viewer: "fresh" }));
        const place = `seed ${seed} cut ${cut}`;
        expect([place, ...unexplained(compareGhostty(original, viewer, HISTORY), original)]).toEqual([place]);
      }
    }
  }, 60_000);
});
