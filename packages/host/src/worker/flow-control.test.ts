import { describe, expect, test } from "bun:test";
import type { FlowReader } from "./flow-control.ts";
import { FLOW_LIMITS, FlowControl } from "./flow-control.ts";

class Reader implements FlowReader {
  lagBytes = 0;
  takenBytes = 0;
  isLoose = false;
}

const BEHIND = FLOW_LIMITS.holdBytes + 1;
const MB = 1_000_000;

describe("FlowControl", () => {
  test("holds the program for a reader that is behind, until it is half as far behind", () => {
    const flow = new FlowControl<Reader>(FLOW_LIMITS);
    const reader = new Reader();
    expect(flow.decide([reader], 0).isHeld).toBe(false);
    reader.lagBytes = BEHIND;
    expect(flow.decide([reader], 1)).toMatchObject({ isHeld: true, cutLoose: [], checkInMs: 100 });
    reader.lagBytes = FLOW_LIMITS.holdBytes / 2 + 1;
    expect(flow.decide([reader], 2).isHeld).toBe(true);
    reader.lagBytes = FLOW_LIMITS.holdBytes / 2;
    expect(flow.decide([reader], 3)).toMatchObject({ isHeld: false, checkInMs: undefined });
  });

  test("cuts loose a reader that takes nothing for a second, not before", () => {
    const flow = new FlowControl<Reader>(FLOW_LIMITS);
    const reader = new Reader();
    reader.lagBytes = BEHIND;
    flow.decide([reader], 0);
    expect(flow.decide([reader], 999).cutLoose).toEqual([]);
    expect(flow.decide([reader], 1_000)).toMatchObject({ isHeld: false, cutLoose: [reader] });
  });

  test("waits for a lone reader that takes 2 MB a second, and not for one that takes half of it", () => {
    for (const [rate, isKept] of [
      [2 * MB, true],
      [0.5 * MB, false],
    ] as const) {
      const flow = new FlowControl<Reader>(FLOW_LIMITS);
      const reader = new Reader();
      reader.lagBytes = BEHIND;
      let isCut = false;
      for (let now = 0; now <= 10_000; now += 100) {
        reader.takenBytes = (now / 1_000) * rate;
        isCut ||= flow.decide([reader], now).cutLoose.length > 0;
      }
      expect(isCut).toBe(!isKept);
    }
  });

  test("a slow reader keeps a fast one waiting for 50 ms at most", () => {
    const flow = new FlowControl<Reader>(FLOW_LIMITS);
    const [slow, fast] = [new Reader(), new Reader()];
    slow.lagBytes = BEHIND;
    let heldMs = 0;
    for (let now = 0; now < 10_000; now += 10) {
      slow.takenBytes += 50_000;
      const { isHeld, cutLoose } = flow.decide([slow, fast], now);
      heldMs += isHeld ? 10 : 0;
      slow.isLoose ||= cutLoose.includes(slow);
    }
    expect(slow.isLoose).toBe(true);
    expect(heldMs).toBeLessThanOrEqual(FLOW_LIMITS.contestedMs + 20);
  });

  test("a reader that was cut loose may hold again when it has kept up for a second", () => {
    const flow = new FlowControl<Reader>(FLOW_LIMITS);
    const reader = new Reader();
    reader.lagBytes = BEHIND;
    flow.decide([reader], 0);
    expect(flow.decide([reader], 1_000).cutLoose).toEqual([reader]);
    // Repainted, and behind again at once: no hold, and a shorter leash.
    reader.lagBytes = FLOW_LIMITS.looseBytes + 1;
    expect(flow.decide([reader], 1_100)).toMatchObject({ isHeld: false, cutLoose: [reader] });
    reader.lagBytes = 0;
    flow.decide([reader], 1_500);
    flow.decide([reader], 2_200);
    reader.lagBytes = BEHIND;
    expect(flow.decide([reader], 2_300)).toMatchObject({ isHeld: true, cutLoose: [] });
  });

  test("does not wait for a reader that waits for its repaint", () => {
    const flow = new FlowControl<Reader>(FLOW_LIMITS);
    const reader = new Reader();
    reader.isLoose = true;
    reader.lagBytes = 50 * MB;
    expect(flow.decide([reader], 0)).toMatchObject({ isHeld: false, cutLoose: [] });
  });
});
