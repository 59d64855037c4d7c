import { describe, expect, test } from "bun:test";
import type { WritePlanResult } from "../worker-api/operations.ts";
import { PlanLedger } from "./plan-ledger.ts";

const resultOf = (sequence: number): WritePlanResult => ({ sequence, bytes: 1, output_offset: 0, written_at_ms: 0 });

describe("PlanLedger", () => {
  test("performs each sequence once, also while the first is still under way", async () => {
    const ledger = new PlanLedger(4);
    let writes = 0;
    const { promise, resolve } = Promise.withResolvers<WritePlanResult>();
    const write = (): Promise<WritePlanResult> => {
      writes += 1;
      return promise;
    };
    const plan = { sequence: 1, digest: "a" };
    const both = [ledger.perform(plan, write), ledger.perform(plan, write)];
    resolve(resultOf(1));
    expect(await Promise.all(both)).toEqual([resultOf(1), resultOf(1)]);
    expect(writes).toBe(1);
  });

  test("remembers as many as its capacity; older ones are unknown, never written again", async () => {
    const ledger = new PlanLedger(3);
    const perform = (sequence: number) =>
      ledger.perform({ sequence, digest: `${sequence}` }, () => Promise.resolve(resultOf(sequence)));
    for (const sequence of [1, 2, 5, 9]) {
      await perform(sequence);
    }
    expect(await perform(2)).toEqual(resultOf(2));
    const unknown = "What came of this plan is not remembered any more.";
    expect(() => perform(1)).toThrow(unknown);
    // Between two that were performed, but below the watermark.
    expect(() => perform(7)).toThrow(unknown);
    expect(await perform(10)).toEqual(resultOf(10));
  });

  test("a failure is remembered as well", async () => {
    const ledger = new PlanLedger(3);
    const plan = { sequence: 1, digest: "a" };
    const failing = ledger.perform(plan, () => Promise.reject(new Error("first")));
    expect(failing).rejects.toThrow("first");
    expect(ledger.perform(plan, () => Promise.resolve(resultOf(1)))).rejects.toThrow("first");
    await failing.catch(() => undefined);
  });
});
