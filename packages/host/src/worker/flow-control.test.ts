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

/** How often a reader is cut loose beside one that takes all at once, when the program prints 60 MB a second. */
function cutsBesideFast(bytesPerSecond: number): number {
  const flow = new FlowControl<Reader>(FLOW_LIMITS);
  const [slower, fast] = [new Reader(), new Reader()];
  let isHeld = false;
  let cuts = 0;
  for (let now = 0; now < 10_000 && cuts === 0; now += 1) {
    slower.lagBytes += isHeld ? 0 : (60 * MB) / 1_000;
    const taken = Math.min(slower.lagBytes, bytesPerSecond / 1_000);
    slower.lagBytes -= taken;
    slower.takenBytes += taken;
    const decision = flow.decide([slower, fast], now);
    isHeld = decision.isHeld;
    cuts += decision.cutLoose.length;
  }
  return cuts;
}

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

  test("a reader that takes next to nothing keeps a fast one waiting for a quarter of a second at most", () => {
    const flow = new FlowControl<Reader>(FLOW_LIMITS);
    const [slow, fast] = [new Reader(), new Reader()];
    slow.lagBytes = BEHIND;
    let heldMs = 0;
    for (let now = 0; now < 10_000; now += 10) {
      slow.takenBytes += 200;
      const { isHeld, cutLoose } = flow.decide([slow, fast], now);
      heldMs += isHeld ? 10 : 0;
      slow.isLoose ||= cutLoose.includes(slow);
    }
    expect(slow.isLoose).toBe(true);
    expect(heldMs).toBeLessThanOrEqual(FLOW_LIMITS.contestedMs + 20);
  });

  test("waits for a reader of a third of the other's speed, and not for one of a tenth", () => {
    for (const [rate, isKept] of [
      [20 * MB, true],
      [6 * MB, false],
    ] as const) {
      expect(cutsBesideFast(rate)).toBe(isKept ? 0 : 1);
    }
  });

  test("ten equal readers that get the processor in turns, for 20 ms each, are all waited for", () => {
    const flow = new FlowControl<Reader>(FLOW_LIMITS);
    const readers = Array.from({ length: 10 }, () => new Reader());
    for (let now = 0; now < 30_000; now += 1) {
      const reader = readers[Math.floor(now / 20) % readers.length];
      if (!reader) throw new Error("there is one for each turn");
      const taken = Math.min(reader.lagBytes, 200_000);
      reader.lagBytes -= taken;
      reader.takenBytes += taken;
      const { isHeld, cutLoose } = flow.decide(readers, now);
      expect(cutLoose).toEqual([]);
      if (!isHeld) for (const each of readers) each.lagBytes += 60_000;
    }
  });

  test("blames no reader for the time in which we had no processor", () => {
    const flow = new FlowControl<Reader>(FLOW_LIMITS);
    const [behind, fast] = [new Reader(), new Reader()];
    behind.lagBytes = BEHIND;
    flow.decide([behind, fast], 0);
    behind.takenBytes += 1;
    expect(flow.decide([behind, fast], 900).cutLoose).toEqual([]);
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

  test("a reader is on probation from when it has taken its repaint, however long that took", () => {
    const flow = new FlowControl<Reader>(FLOW_LIMITS);
    const reader = new Reader();
    reader.lagBytes = BEHIND;
    flow.decide([reader], 0);
    expect(flow.decide([reader], 1_000).cutLoose).toEqual([reader]);
    reader.isLoose = true;
    flow.decide([reader], 9_000);
    Object.assign(reader, { isLoose: false, lagBytes: 0 });
    flow.decide([reader], 9_001);
    reader.lagBytes = FLOW_LIMITS.looseBytes + 1;
    expect(flow.decide([reader], 9_500)).toMatchObject({ isHeld: false, cutLoose: [reader] });
  });

  test("does not wait for a reader that waits for its repaint", () => {
    const flow = new FlowControl<Reader>(FLOW_LIMITS);
    const reader = new Reader();
    reader.isLoose = true;
    reader.lagBytes = 50 * MB;
    expect(flow.decide([reader], 0)).toMatchObject({ isHeld: false, cutLoose: [] });
  });
});
