import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SessionId, WorkerId, WorkerInstanceId } from "@pohunek/protocol/wire";
import { KeptFacts } from "./kept-facts.ts";
import type { SessionRecord } from "./session-record.ts";
import { SpareFile } from "./spare-file.ts";

let folder = "";
let path = "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "spare"));
  path = join(folder, "spare");
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

function linesNow(): readonly string[] {
  using file = new SpareFile(path);
  return file.found;
}

describe("a spare file", () => {
  test("has its lines again, and room of the same size, until it is cleared", () => {
    using file = new SpareFile(path);
    const size = readFileSync(path).length;
    expect(file.found).toEqual([]);
    file.append("one");
    file.append("zwei, ü");
    expect(linesNow()).toEqual(["one", "zwei, ü"]);
    expect(readFileSync(path).length).toBe(size);
    file.clear();
    expect(linesNow()).toEqual([]);
    file.append("three");
    expect(linesNow()).toEqual(["three"]);
  });

  test("takes neither a torn line nor what is left behind the end of earlier ones", () => {
    const write = (...lines: string[]): Buffer => {
      rmSync(path, { force: true });
      using file = new SpareFile(path);
      lines.forEach((line) => file.append(line));
      return readFileSync(path);
    };
    const old = write("aaa", "bbb", "ccc");
    const torn = Buffer.from(old);
    torn[torn.indexOf("bbb") + 1] = 0x78;
    writeFileSync(path, torn);
    expect(linesNow()).toEqual(["aaa"]);
    // Cleared in part only, then written over: as long as the first one, so that the others stand where a line may begin.
    const mixed = write("xxx");
    old.copy(mixed, mixed.indexOf(0x0a) + 1, old.indexOf(0x0a) + 1);
    writeFileSync(path, mixed);
    expect(linesNow()).toEqual(["xxx"]);
  });

  test("refuses what does not fit, and everything while it can't be made", () => {
    using file = new SpareFile(path);
    const line = "x".repeat(40_000);
    [1, 2, 3].forEach(() => file.append(line));
    expect(() => file.append(line)).toThrow("no spare room");
    expect(linesNow().length).toBe(3);
    mkdirSync(`${path}-taken`);
    using other = new SpareFile(`${path}-taken`);
    expect(() => other.append("one")).toThrow("no spare room");
    rmSync(`${path}-taken`, { recursive: true });
    expect(other.prepare()).toBe(true);
    other.append("one");
  });
});

const AT = "2030-01-01T12:00:00.000Z";

function record(
  id: string,
  facts: { state: "running" | "stopped"; updatedAt?: string; runtimeId?: string },
): SessionRecord {
  return {
    id: `s-${id}` as SessionId,
    agent: "shell",
    agentBase: "shell",
    launch: "shell",
    program: "sh",
    cwd: "/",
    cols: 80,
    rows: 24,
    state: facts.state,
    exitCode: facts.state === "stopped" ? 7 : undefined,
    runtime: {
      state: facts.state === "stopped" ? "terminal" : "live",
      generation: 1,
      workerId: "k-1" as WorkerId,
      runtimeId: (facts.runtimeId ?? "w-1") as WorkerInstanceId,
    },
    metadata: {},
    warnings: [],
    createdAt: AT,
    updatedAt: facts.updatedAt ?? AT,
  };
}

describe("kept facts", () => {
  const removal = { sessionId: "s-a", kind: "remove", step: "strict", attempts: 0, startedAt: AT } as const;

  test("complete what the database has, after a restart as well", () => {
    using facts = new KeptFacts(path);
    facts.keep({ session: record("a", { state: "running" }), operation: removal });
    facts.keep({ session: record("a", { state: "stopped" }) });
    facts.keep({ removedSession: "s-b" as SessionId, operation: null });
    using again = new KeptFacts(path);
    for (const one of [facts, again]) {
      const whole = one.complete(record("a", { state: "running" }));
      expect(whole).toMatchObject({ state: "stopped", exitCode: 7, runtime: { state: "terminal", workerId: "k-1" } });
      expect(one.operationOf("s-a" as SessionId)).toEqual(removal);
      expect(one.complete(record("b", { state: "running" }))).toBeUndefined();
      expect(one.operationOf("s-b" as SessionId)).toBeNull();
      expect(one.complete(record("c", { state: "running" }))).toEqual(record("c", { state: "running" }));
    }
  });

  test("say nothing about what came later", () => {
    using facts = new KeptFacts(path);
    facts.keep({ session: record("a", { state: "stopped" }) });
    const later = record("a", { state: "running", updatedAt: "2030-01-01T12:00:01.000Z" });
    expect(facts.complete(later)).toEqual(later);
    const other = record("a", { state: "running", runtimeId: "w-2" });
    expect(facts.complete(other)).toEqual(other);
  });

  test("are forgotten one by one, and then their room is empty", () => {
    using facts = new KeptFacts(path);
    facts.keep({ session: record("a", { state: "stopped" }), operation: removal });
    facts.keep({ session: record("b", { state: "stopped" }) });
    facts.forget("s-a" as SessionId);
    using again = new KeptFacts(path);
    expect([...again.ids]).toEqual(["s-b" as SessionId]);
    facts.forget("s-b" as SessionId);
    expect(readFileSync(path).every((byte) => byte === 0)).toBe(true);
  });

  test("are ends and intentions only", () => {
    using facts = new KeptFacts(path);
    expect(facts.keep({ session: record("a", { state: "running" }) })).toBe(false);
    expect(facts.size).toBe(0);
  });
});
