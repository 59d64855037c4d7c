import { describe, expect, test } from "bun:test";
import type { SessionId, WorkerId, WorkerInstanceId } from "@pohunek/protocol/wire";
import type { SessionRecord } from "../store/session-record.ts";
import { Changes } from "./changes.ts";
import { Gate } from "./gate.ts";
import { amend, canTransit, exitCodeOf, hasEnded, transit } from "./lifecycle.ts";

const CREATED = "2024-01-01T00:00:00.000Z";
const RECORD: SessionRecord = {
  id: "s-1" as SessionId,
  agent: "shell",
  agentBase: "shell",
  launch: "shell",
  program: "bash",
  cwd: "/",
  cols: 80,
  rows: 24,
  state: "starting",
  runtime: { state: "starting", generation: 1, workerId: "k-1" as WorkerId, runtimeId: "w-1" as WorkerInstanceId },
  metadata: {},
  warnings: [],
  createdAt: CREATED,
  updatedAt: CREATED,
};
const at = new Date("2024-01-01T00:00:01.000Z");

describe("the life of a session", () => {
  test("leads from the start over lost and found connections to an end", () => {
    let record = transit(RECORD, "started", { at, runtime: { childPid: 7 } });
    expect([record.state, record.runtime.state, record.runtime.childPid]).toEqual(["running", "live", 7]);
    record = transit(record, "disconnected", { at });
    expect([record.state, record.runtime.state]).toEqual(["running", "reconnecting"]);
    record = transit(record, "connected", { at });
    expect(record.runtime.state).toBe("live");
    expect(hasEnded(record)).toBe(false);
    record = transit(record, "done", { at, exitCode: 0 });
    expect([record.state, record.runtime.state, record.exitCode]).toEqual(["done", "terminal", 0]);
    expect(hasEnded(record)).toBe(true);
  });

  test("has no way out of an end", () => {
    const live = transit(RECORD, "started", { at });
    for (const end of ["done", "failed", "stopped", "lost"] as const) {
      const ended = transit(live, end, { at });
      for (const next of [
        "started",
        "connected",
        "disconnected",
        "done",
        "stopped",
        "lost",
        "conflicted",
        "incompatible",
      ] as const) {
        expect(canTransit(ended, next)).toBe(false);
        expect(() => transit(ended, next, { at })).toThrow();
      }
    }
  });

  test("a lost session has failed, keeps the reason, and no exit code", () => {
    const lost = transit(transit(RECORD, "started", { at }), "lost", { at, runtime: { lossReason: "worker_died" } });
    expect([lost.state, lost.runtime.state, lost.runtime.lossReason, lost.exitCode]).toEqual([
      "failed",
      "lost",
      "worker_died",
      undefined,
    ]);
  });

  test("a reason of loss goes when the worker is back", () => {
    const odd = transit(transit(RECORD, "started", { at }), "incompatible", { at, runtime: { lossReason: "old" } });
    expect(transit(odd, "connected", { at }).runtime.lossReason).toBeUndefined();
  });

  test("its time only goes forward, whatever the clock does", () => {
    const first = amend(RECORD, at);
    const second = amend(first, new Date("2020-01-01T00:00:00Z"));
    const third = amend(second, new Date("2020-01-01T00:00:00Z"));
    expect([first.updatedAt, second.updatedAt, third.updatedAt]).toEqual([
      "2024-01-01T00:00:01.000Z",
      "2024-01-01T00:00:01.001Z",
      "2024-01-01T00:00:01.002Z",
    ]);
  });

  test("a death by signal is 128 and its number", () => {
    expect(exitCodeOf({ code: 3 })).toBe(3);
    expect(exitCodeOf({ signalNumber: 9 })).toBe(137);
    expect(exitCodeOf({})).toBeUndefined();
  });
});

describe("waiting for changes", () => {
  test("sees what holds already, and what comes to hold", async () => {
    const changes = new Changes();
    let value = 1;
    expect(await changes.until("s-1", () => value, { timeoutMs: 1000 })).toBe(1);
    const waiting = changes.until("s-1", () => (value > 1 ? value : undefined), { timeoutMs: 1000 });
    value = 2;
    changes.notify("other");
    changes.notify("s-1");
    expect(await waiting).toBe(2);
  });

  test("misses no change that falls between the first look and the registration", async () => {
    const changes = new Changes();
    let looks = 0;
    const check = (): number | undefined => {
      looks += 1;
      if (looks === 1) {
        changes.notify("s-1");
        return undefined;
      }
      return looks;
    };
    expect(await changes.until("s-1", check, { timeoutMs: 1000 })).toBe(2);
  });

  test("ends with nothing at the timeout and at the abort, and with the check's own refusal", async () => {
    const changes = new Changes();
    expect(await changes.until("s-1", () => undefined, { timeoutMs: 5 })).toBeUndefined();
    const gone = new AbortController();
    const waiting = changes.until("s-1", () => undefined, { timeoutMs: 10_000, signal: gone.signal });
    gone.abort();
    expect(await waiting).toBeUndefined();
    let isGone = false;
    const refused = changes.until(
      "s-1",
      () => {
        if (isGone) {
          throw new Error("gone");
        }
        return undefined;
      },
      { timeoutMs: 10_000 },
    );
    isGone = true;
    changes.notify("s-1");
    expect(refused).rejects.toThrow("gone");
    await refused.catch(() => undefined);
  });
});

test("a gate lets one task through at a time, in order, and goes on after a failure", async () => {
  const gate = new Gate();
  const log: string[] = [];
  const task = (name: string, ms: number) => async () => {
    log.push(`${name} in`);
    await Bun.sleep(ms);
    log.push(`${name} out`);
    if (name === "b") {
      throw new Error("b failed");
    }
    return name;
  };
  const results = await Promise.allSettled([gate.run(task("a", 5)), gate.run(task("b", 1)), gate.run(task("c", 0))]);
  expect(log).toEqual(["a in", "a out", "b in", "b out", "c in", "c out"]);
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
});
