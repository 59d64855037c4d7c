import { describe, expect, test } from "bun:test";
import type { SessionId, StreamId } from "@pohunek/protocol/wire";
import { isProtocolError } from "@pohunek/protocol/wire";
import { AttachFailures } from "./attach-failures.ts";
import { AttachGrants } from "./attach-grants.ts";
import type { Origin } from "./origin.ts";
import { ViewerGraph } from "./viewer-graph.ts";
import { Waiters } from "./waiters.ts";

const LOCAL: Origin = { kind: "local_owner", pid: 1 };
const OTHER_LOCAL: Origin = { kind: "local_owner", pid: 2 };
const MESH: Origin = { kind: "overlay_owner", overlay: "mesh" };
const GRANT = { sessionId: "s-1" as SessionId, opening: {}, origin: LOCAL };

function codeOf(action: () => unknown): string | undefined {
  try {
    action();
  } catch (cause) {
    return isProtocolError(cause) ? cause.code : String(cause);
  }
  return undefined;
}

describe("a grant", () => {
  test("opens one stream, once", () => {
    const grants = new AttachGrants(1, () => 0);
    const first = grants.issue(GRANT);
    const second = grants.issue(GRANT);
    expect(first).not.toBe(second);
    expect(grants.redeem(first, OTHER_LOCAL)).toMatchObject(GRANT);
    expect(codeOf(() => grants.redeem(first, LOCAL))).toBe("attach_not_found");
    expect(codeOf(() => grants.redeem("a-99" as StreamId, LOCAL))).toBe("attach_not_found");
  });

  test("is of no use on another listener", () => {
    const grants = new AttachGrants(1, () => 0);
    const local = grants.issue(GRANT);
    expect(codeOf(() => grants.redeem(local, MESH))).toBe("attach_not_found");
    const remote = grants.issue({ ...GRANT, origin: MESH });
    expect(codeOf(() => grants.redeem(remote, { kind: "overlay_owner", overlay: "other" }))).toBe("attach_not_found");
    expect(grants.redeem(remote, MESH).sessionId).toBe(GRANT.sessionId);
  });

  test("expires after ten seconds, is remembered a while as expired, and forgotten in the end", () => {
    let now = 0;
    const grants = new AttachGrants(1, () => now);
    const early = grants.issue(GRANT);
    const late = grants.issue(GRANT);
    now = 10_000;
    expect(grants.redeem(early, LOCAL).sessionId).toBe(GRANT.sessionId);
    now = 10_001;
    expect(codeOf(() => grants.redeem(late, LOCAL))).toBe("attach_expired");
    now = 70_001;
    grants.issue(GRANT);
    expect(codeOf(() => grants.redeem(late, LOCAL))).toBe("attach_not_found");
  });
});

describe("a stored failure", () => {
  const error = { class: "runtime", code: "worker_attach_stream_failed", msg: "broke" } as const;

  test("is told once, within a minute", () => {
    let now = 0;
    const failures = new AttachFailures(() => now);
    failures.put("a-1" as StreamId, error);
    failures.put("a-2" as StreamId, error);
    expect(failures.take("a-1" as StreamId)).toEqual(error);
    expect(failures.take("a-1" as StreamId)).toBeUndefined();
    now = 60_000;
    expect(failures.take("a-2" as StreamId)).toBeUndefined();
  });

  test("gives way when 128 newer ones came", () => {
    const failures = new AttachFailures(() => 0);
    for (let index = 0; index < 129; index += 1) {
      failures.put(`a-${index}` as StreamId, error);
    }
    expect(failures.take("a-0" as StreamId)).toBeUndefined();
    expect(failures.take("a-1" as StreamId)).toEqual(error);
    expect(failures.take("a-128" as StreamId)).toEqual(error);
  });
});

test("a session that would show itself is found, also through others, and only while the views last", () => {
  const graph = new ViewerGraph();
  expect(graph.wouldLoop("A", "A")).toBe(true);
  expect(graph.wouldLoop("A", "B")).toBe(false);
  graph.add("a-1" as StreamId, "A", "B");
  graph.add("a-2" as StreamId, "B", "C");
  expect(graph.wouldLoop("B", "A")).toBe(true);
  expect(graph.wouldLoop("C", "A")).toBe(true);
  expect(graph.wouldLoop("A", "C")).toBe(false);
  expect(graph.wouldLoop("D", "A")).toBe(false);
  graph.remove("a-2" as StreamId);
  expect(graph.wouldLoop("C", "A")).toBe(false);
});

test("waiter slots are bounded for a session and in total, and come back", () => {
  const waiters = new Waiters({ total: 3, perSession: 2 });
  const slots = [waiters.take("s-1"), waiters.take("s-1")];
  expect(codeOf(() => waiters.take("s-1"))).toBe("session_waiter_limit_reached");
  slots.push(waiters.take("s-2"));
  expect(codeOf(() => waiters.take("s-3"))).toBe("session_waiter_limit_reached");
  slots.forEach((slot) => slot[Symbol.dispose]());
  expect(codeOf(() => waiters.take("s-1"))).toBeUndefined();
});
