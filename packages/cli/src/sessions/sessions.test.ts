import { describe, expect, test } from "bun:test";
import type { SessionInfo } from "@pohunek/protocol";
import { paintAnsi, paintNothing } from "../output/colour.ts";
import { textWidth } from "../output/text-width.ts";
import { sessionTable } from "./session-table.ts";
import { shortestPrefixes } from "./short-ids.ts";
import { lossWords, stateWords } from "./state-words.ts";
import { findSession, isFullSessionId, parseTarget } from "./target.ts";

const NOW = Date.parse("2030-01-01T12:00:00Z");

function session(facts: Partial<Record<keyof SessionInfo, unknown>>): SessionInfo {
  const base = {
    id: "s-01KB0000000000000000000000",
    agent: "shell",
    agent_base: "shell",
    cwd: "/home/ann/src/project",
    pid: 1,
    cols: 80,
    rows: 24,
    state: "running",
    state_source: "process",
    capabilities: { resume: false, fork: false },
    created_at: "2030-01-01T11:59:00Z",
    updated_at: "2030-01-01T11:59:00Z",
  };
  return { ...base, ...facts } as SessionInfo;
}

describe("state words", () => {
  test.each([
    [{ activity: "working" }, "Working"],
    [{ activity: "blocked" }, "Needs you"],
    [{ activity: "idle" }, "Ready"],
    [{}, "Running"],
    [{ state: "starting" }, "Starting"],
    [{ state: "stopped", activity: "working" }, "Stopped"],
    [{ state: "done", exit_code: 0 }, "Done"],
    [{ state: "failed", exit_code: 3 }, "Failed (3)"],
    [{ state: "failed" }, "Failed"],
    [{ runtime: { state: "lost", runtime_generation: "1" }, activity: "idle" }, "Lost"],
    [{ runtime: { state: "conflict", runtime_generation: "1" } }, "Conflict"],
    [{ runtime: { state: "reconnecting", runtime_generation: "1" } }, "Reconnecting"],
    [{ runtime: { state: "reconnecting", runtime_generation: "1", loss_reason: "worker_not_answering" } }, "No answer"],
    [{ runtime: { state: "terminal", runtime_generation: "1" }, state: "done" }, "Done"],
    [{ state: "paused_by_a_newer_host" }, "paused_by_a_newer_host"],
  ])("%p is %p", (facts, words) => {
    expect(stateWords(session(facts)).text).toBe(words);
  });
});

describe("a target", () => {
  const one = session({ id: "s-01KB0000000000000000000001", name: "api" });
  const two = session({ id: "s-01KB0000000000000000000002", name: "api" });
  const three = session({ id: "s-01KC0000000000000000000003", name: "01KB" });
  const sessions = [one, two, three];

  test("names a host at most once", () => {
    expect(parseTarget("api", undefined)).toEqual({ host: undefined, session: "api" });
    expect(parseTarget("local/api", undefined)).toEqual({ host: undefined, session: "api" });
    expect(parseTarget("box/api", "box")).toEqual({ host: "box", session: "api" });
    for (const wrong of ["a/b/c", "/api", "box/", ""])
      expect(() => parseTarget(wrong, undefined)).toThrow("is no target");
    expect(() => parseTarget("box/api", "other")).toThrow("different hosts");
  });

  test("is found by id, by exact name before a beginning of an id, by a beginning in any case", () => {
    expect(findSession(sessions, two.id)).toBe(two);
    expect(findSession(sessions, "01KB")).toBe(three);
    expect(findSession(sessions, "s-01kc")).toBe(three);
    expect(findSession(sessions, "01KC")).toBe(three);
  });

  test("that is not one session is refused, with the candidates", () => {
    expect(() => findSession(sessions, "api")).toThrow(
      expect.objectContaining({
        code: "ambiguous_session_name",
        message: `2 sessions are called "api": ${one.id} ("api", Running), ${two.id} ("api", Running)`,
      }),
    );
    expect(() => findSession(sessions, "s-01KB")).toThrow(expect.objectContaining({ code: "ambiguous_session_name" }));
    expect(() => findSession(sessions, "nope")).toThrow(expect.objectContaining({ code: "session_not_found" }));
    expect(() => findSession([], "x\u001b[31m")).toThrow(
      expect.objectContaining({ message: 'there is no session called "x[31m"' }),
    );
  });

  test("is a whole id only in full", () => {
    expect(isFullSessionId(one.id)).toBe(true);
    expect(isFullSessionId("s-01KB")).toBe(false);
    expect(isFullSessionId("s-01KB000000000000000000000i")).toBe(false);
  });
});

test("short ids are unique and not too short", () => {
  const ids = ["s-01KBAAAA1", "s-01KBAAAA2", "s-01KCAAAA1"];
  expect([...shortestPrefixes(ids).values()]).toEqual(["s-01KBAAAA1", "s-01KBAAAA2", "s-01KCAA"]);
});

describe("the table of sessions", () => {
  const sessions = [
    session({
      id: "s-01KB0002000000000000000002",
      created_at: "2030-01-01T11:00:00Z",
      activity: "blocked",
      name: "ž日本語",
    }),
    session({ id: "s-01KB0001000000000000000001", created_at: "2029-12-30T12:00:00Z", activity: "idle" }),
    session({
      id: "s-01KB0003000000000000000003",
      name: "e\u001b[31mvil\u0007\nname\u202e",
      cwd: `/home/ann/${"deep/".repeat(30)}end`,
    }),
  ];

  test("fits in 80 columns and keeps both ends of a path", () => {
    const lines = sessionTable(sessions, { width: 80, paint: paintNothing, home: "/home/ann", nowMs: NOW });
    expect(lines.slice(0, 3)).toEqual([
      "NAME           STATE      AGENT  DIRECTORY                                   AGE",
      "s-01KB0001     Ready      shell  ~/src/project                               2d",
      "ž日本語        Needs you  shell  ~/src/project                               1h",
    ]);
    for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(80);
    expect(lines[3]).toMatch(/^e\[31mvil name .* {2}~\/deep\/.*….*deep\/end {2}1m$/);
  });

  test("colours words only, with every colour closed", () => {
    const [, first = ""] = sessionTable(sessions, { width: 80, paint: paintAnsi, home: undefined, nowMs: NOW });
    expect(first).toContain("\x1b[32mReady\x1b[39m");
    expect(first.replaceAll(/\x1b\[(?:32|39)m/g, "")).not.toContain("\x1b");
  });
});

test.each([
  ["worker_died", "the process that held its terminal was killed"],
  ["worker_missing_leftovers_unconfirmed", /^the process .* is gone.*; some of its programs may still run$/],
  ["a_newer\u001b_reason", "a_newer_reason"],
])("the loss %p is told in words", (reason, words) => {
  expect(lossWords(reason)).toMatch(words);
});
