import { afterEach, beforeEach, describe, expect, jest, test } from "bun:test";
import { DUE, IdleCollector, LATEST_MS, QUIET_MS, WORTH } from "./idle-collector.ts";

let collections = 0;
let collector: IdleCollector;

beforeEach(() => {
  jest.useFakeTimers();
  collections = 0;
  collector = new IdleCollector(() => {
    collections += 1;
  });
});

afterEach(() => {
  collector[Symbol.dispose]();
  jest.useRealTimers();
});

describe("IdleCollector", () => {
  test("collects once, when work that was worth it has paused", () => {
    collector.noteOutput(WORTH.outputBytes);
    jest.advanceTimersByTime(QUIET_MS - 1);
    collector.noteOutput(1);
    jest.advanceTimersByTime(QUIET_MS - 1);
    expect(collections).toBe(0);
    jest.advanceTimersByTime(1);
    expect(collections).toBe(1);
    jest.advanceTimersByTime(LATEST_MS * 2);
    expect(collections).toBe(1);
  });

  test("does nothing for less than that", () => {
    collector.noteOutput(WORTH.outputBytes - 1);
    collector.noteGarbage(WORTH.garbageBytes - 1);
    jest.advanceTimersByTime(LATEST_MS * 2);
    expect(collections).toBe(0);
  });

  test("does not wait for a pause for longer than so long", () => {
    collector.noteGarbage(WORTH.garbageBytes);
    for (let nowMs = 0; nowMs < LATEST_MS; nowMs += QUIET_MS / 2) {
      expect(collections).toBe(0);
      collector.noteOutput(1);
      jest.advanceTimersByTime(QUIET_MS / 2);
    }
    expect(collections).toBe(1);
  });

  test("waits for no pause when much has come together", () => {
    for (const note of [
      () => collector.noteOutput(DUE.outputBytes / 4),
      () => collector.noteGarbage(DUE.garbageBytes / 4),
    ]) {
      collections = 0;
      for (let time = 0; time < 40; time++) {
        note();
        jest.advanceTimersByTime(1);
      }
      expect(collections).toBe(10);
    }
  });

  test("an answer counts as more than its size", () => {
    for (let time = 0; collections === 0 && time < 1_000; time++) {
      collector.noteAnswer(110_000);
      jest.advanceTimersByTime(1);
      if (collections > 0) {
        expect(time).toBeLessThan(8);
      }
    }
    expect(collections).toBe(1);
  });
});
