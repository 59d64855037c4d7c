import { describe, expect, test } from "bun:test";
import { streamIdOf } from "@pohunek/protocol/wire";
import type { WorkerClient } from "../worker-api/client.ts";
import { PreparedHandOvers } from "./prepared-hand-overs.ts";

const OPENING = { cols: 80, rows: 24 };

/** A worker that counts what was asked of it, and tells when one of its hand-overs is given up. */
function countingWorker(version = 3) {
  const counts = { prepared: 0, disposed: 0 };
  const disposed = Promise.withResolvers<void>();
  const worker = {
    version,
    prepareHandOver: () => {
      counts.prepared += 1;
      return {
        [Symbol.dispose]: () => {
          counts.disposed += 1;
          disposed.resolve();
        },
      };
    },
  };
  return { worker: worker as unknown as WorkerClient, counts, disposed: disposed.promise };
}

describe("a hand-over that was prepared", () => {
  test("is taken once, by its stream alone", () => {
    const { worker, counts } = countingWorker();
    using hands = new PreparedHandOvers();
    hands.prepare(streamIdOf(1), worker, OPENING);
    expect(hands.take(streamIdOf(2), worker)).toBeUndefined();
    expect(hands.take(streamIdOf(1), worker)).toBeDefined();
    expect(hands.take(streamIdOf(1), worker)).toBeUndefined();
    expect(counts).toEqual({ prepared: 1, disposed: 0 });
  });

  test("is given up when the worker was connected to anew", () => {
    const [before, after] = [countingWorker(), countingWorker()];
    using hands = new PreparedHandOvers();
    hands.prepare(streamIdOf(1), before.worker, OPENING);
    expect(hands.take(streamIdOf(1), after.worker)).toBeUndefined();
    expect(before.counts.disposed).toBe(1);
  });

  test("is given up when nobody comes for it", async () => {
    const { worker, disposed } = countingWorker();
    using hands = new PreparedHandOvers(1);
    hands.prepare(streamIdOf(1), worker, OPENING);
    await disposed;
    expect(hands.take(streamIdOf(1), worker)).toBeUndefined();
  });

  test("is one of a few, and none for a worker that takes no viewers", () => {
    const [worker, old] = [countingWorker(), countingWorker(1)];
    using hands = new PreparedHandOvers();
    for (let index = 0; index < 40; index += 1) hands.prepare(streamIdOf(index), worker.worker, OPENING);
    hands.prepare(streamIdOf(41), old.worker, OPENING);
    expect(worker.counts.prepared).toBe(16);
    expect(old.counts.prepared).toBe(0);
    hands[Symbol.dispose]();
    expect(worker.counts.disposed).toBe(16);
    expect(hands.take(streamIdOf(0), worker.worker)).toBeUndefined();
  });
});
