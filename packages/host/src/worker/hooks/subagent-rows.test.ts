import { describe, expect, test } from "bun:test";
import { HOOK_LIMITS } from "../../worker-api/hooks.ts";
import { SubagentRows } from "./subagent-rows.ts";

const common = { provider: "demo", reporter: "10:1", nowMs: 1000 };

/** Sub-agents with these starts, by one reporter. */
function rowsOf(starts: Readonly<Record<string, bigint>>): SubagentRows {
  const rows = new SubagentRows();
  for (const [id, sequence] of Object.entries(starts)) rows.started({ ...common, id, sequence });
  return rows;
}

const states = (rows: SubagentRows): Record<string, string> =>
  Object.fromEntries(rows.facts.map(({ id, lifecycle }) => [id, lifecycle]));
const snapshot = (sequence: bigint, ...tasks: { id: string; type?: string; status?: string }[]) => ({
  ...common,
  sequence,
  tasks,
});
const shell = { id: "sh-1", type: "shell", status: "running" };
const agent = (id: string, status = "running") => ({ id, type: "subagent", status });

describe("starts and stops", () => {
  test("count in the order in which they were made, not in which they come", () => {
    const rows = new SubagentRows();
    expect(rows.stopped({ ...common, id: "a", sequence: 5n })).toBe("changed");
    expect(rows.started({ ...common, id: "a", sequence: 4n })).toBe("stale");
    expect(states(rows)).toEqual({ a: "completed" });
    expect(rows.started({ ...common, id: "a", sequence: 9n, type: "explorer" })).toBe("changed");
    expect(rows.stopped({ ...common, id: "a", sequence: 7n })).toBe("stale");
    expect(rows.started({ ...common, id: "a", sequence: 9n })).toBe("stale");
    expect(rows.facts).toEqual([
      {
        id: "a",
        provider: "demo",
        agent_type: "explorer",
        lifecycle: "running",
        revision: 2,
        started_at_ms: 1000,
        updated_at_ms: 1000,
      },
    ]);
  });

  test("of many are bounded: what runs is never forgotten, what has ended is, oldest first", () => {
    const rows = new SubagentRows();
    const count = HOOK_LIMITS.finishedSubagents + 5;
    for (let at = 0; at < count; at += 1) rows.stopped({ ...common, id: `done-${at}`, sequence: BigInt(at) });
    expect(rows.facts.length).toBe(HOOK_LIMITS.finishedSubagents);
    expect(rows.facts[0]?.id).toBe("done-5");
    for (let at = 0; at < HOOK_LIMITS.runningSubagents; at += 1)
      expect(rows.started({ ...common, id: `run-${at}`, sequence: BigInt(at) })).toBe("changed");
    expect(rows.started({ ...common, id: "one-more", sequence: 1n })).toBe("too_many");
    expect(rows.lose(2000)).toBe(true);
    expect(rows.lose(3000)).toBe(false);
    expect(rows.facts.every(({ lifecycle }) => lifecycle !== "running")).toBe(true);
  });
});

describe("a listing of background tasks", () => {
  const table: [string, bigint, ReturnType<typeof snapshot>[], string][] = [
    ["that was listed and is missing now is over", 1n, [snapshot(2n, agent("a")), snapshot(3n)], "completed"],
    ["that was listed and is listed again runs", 1n, [snapshot(2n, agent("a")), snapshot(3n, agent("a"))], "running"],
    ["that is listed as over is over", 1n, [snapshot(2n, agent("a", "completed"))], "completed"],
    ["that one listing alone does not have runs", 1n, [snapshot(2n)], "running"],
    ["that two listings do not have is over", 1n, [snapshot(2n), snapshot(3n)], "completed"],
    ["that two listings hide beside a shell is over", 1n, [snapshot(2n), snapshot(3n, shell)], "completed"],
    ["that may be listed under another name runs", 1n, [snapshot(2n), snapshot(3n, agent("other"))], "running"],
    ["that came between two listings runs", 3n, [snapshot(2n), snapshot(4n)], "running"],
    ["that came after the listing runs", 5n, [snapshot(2n), snapshot(4n)], "running"],
    ["is not judged by a listing that comes late", 1n, [snapshot(3n), snapshot(2n)], "running"],
  ];
  test.each(table)("a sub-agent %s", (...[, startedAt, snapshots, expected]) => {
    const rows = rowsOf({ a: startedAt });
    snapshots.forEach((each) => rows.listed(each));
    expect(states(rows)).toEqual({ a: expected });
  });

  test("says nothing about sub-agents of another process, and opens none again", () => {
    const rows = rowsOf({ a: 1n });
    rows.started({ ...common, reporter: "20:2", id: "b", sequence: 1n });
    rows.listed(snapshot(2n));
    rows.listed(snapshot(3n));
    expect(states(rows)).toEqual({ a: "completed", b: "running" });
    const before = rows.facts;
    rows.listed(snapshot(4n, agent("a")));
    expect(rows.facts).toEqual(before);
  });

  test("that lists a resumed sub-agent from its run before proves nothing", () => {
    const rows = rowsOf({ a: 1n });
    rows.listed(snapshot(2n, agent("a")));
    rows.stopped({ ...common, id: "a", sequence: 3n });
    rows.started({ ...common, id: "a", sequence: 4n });
    rows.listed(snapshot(5n, agent("other")));
    expect(states(rows)).toEqual({ a: "running" });
  });
});
