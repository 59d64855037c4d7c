import { describe, expect, test } from "bun:test";
import { isWithinMetadataLimits } from "./messages/session-info.ts";
import type { HandlerMap, ReplyOf } from "./messages.ts";
import { methods, parseEventPayload, parseParams, parseResult } from "./messages.ts";
import { newSessionId } from "./wire/ids.ts";
import { LIMITS } from "./wire/limits.ts";
import type { MethodName } from "./wire/methods.ts";
import { METHODS, methodRow } from "./wire/methods.ts";
import { isProtocolError } from "./wire/protocol-error.ts";

function refusal(name: MethodName, params: unknown): string {
  try {
    parseParams(name, params);
  } catch (error) {
    if (isProtocolError(error, "bad_request")) return error.message;
    throw error;
  }
  return "(taken)";
}

const session_id = "s-1";
const size = { cols: 80, rows: 24 };

describe("params", () => {
  test("a method without params takes null and nothing, and only some look closer", () => {
    const none = (Object.keys(METHODS) as MethodName[]).filter((name) => methodRow(name).nullParams !== undefined);
    expect(none.length).toBeGreaterThan(5);
    for (const name of none) {
      expect(parseParams(name, null)).toBeNull();
      const isStrict = methodRow(name).nullParams === "strict";
      expect({ name, answer: refusal(name, { x: 1 }) === "(taken)" }).toEqual({ name, answer: !isStrict });
    }
    expect(refusal("daemon.doctor", {})).toStartWith("daemon.doctor: ");
  });

  test("null stands for no params where params are optional, and for an absent field", () => {
    expect(parseParams("host.discover", null)).toEqual({ force: false });
    expect(parseParams("session.list", null)).toEqual({});
    expect(parseParams("session.diff", { session_id, base: null })).toEqual({ session_id } as never);
    expect(parseParams("session.set_metadata", { session_id, metadata: { a: null } }).metadata).toEqual({ a: null });
    expect(refusal("session.screen", { session_id: null })).not.toBe("(taken)");
  });

  test("an id is the params value itself where the protocol says so", () => {
    expect(parseParams("session.inspect", "s-1")).toBe("s-1" as never);
    for (const params of [null, "", "s 1", 7, { session_id }, "x".repeat(129)]) {
      expect(refusal("session.stop", params)).not.toBe("(taken)");
    }
    expect(parseParams("session.resume", "s-1")).toBe("s-1" as never);
    expect(refusal("session.resume", { session_id })).not.toBe("(taken)");
  });

  test("unknown fields are refused only where the protocol is strict", () => {
    expect(refusal("session.screen", { session_id, later: 1 })).not.toBe("(taken)");
    expect(refusal("integration.status", { later: 1 })).not.toBe("(taken)");
    expect(parseParams("session.read", { session_id, later: 1 })).toEqual({ session_id } as never);
  });

  test("a refusal names the field but not its value", () => {
    const secret = "correct horse battery staple";
    const message = refusal("session.resize", { session_id, cols: secret, rows: 24 });
    expect(message).toStartWith("session.resize: cols: ");
    expect(message).not.toContain(secret);
    expect(refusal("session.set_metadata", { session_id, metadata: { ["k".repeat(65)]: secret } })).not.toContain(
      secret,
    );
  });

  test("sizes and bounds of a new session", () => {
    const base = { agent: "shell", ...size };
    expect(refusal("session.new", base)).toBe("(taken)");
    for (const wrong of [
      { cols: 0 },
      { rows: 65_536 },
      { cols: 1.5 },
      { agent: "" },
      { name: " " },
      { name: "a\u001bb" },
    ]) {
      expect(refusal("session.new", { ...base, ...wrong })).not.toBe("(taken)");
    }
    expect(parseParams("session.new", { ...base, name: "  tidy  " }).name).toBe("tidy");
    expect(refusal("session.new", { ...base, name: "ž".repeat(64) })).toBe("(taken)");
    expect(refusal("session.new", { ...base, name: "ž".repeat(65) })).not.toBe("(taken)");
    expect(refusal("session.new", { ...base, input: "x".repeat(LIMITS.inputTextBytes) })).toBe("(taken)");
    expect(refusal("session.new", { ...base, input: "x".repeat(LIMITS.inputTextBytes + 1) })).not.toBe("(taken)");
  });

  test("metadata keeps to its limits", () => {
    const base = { agent: "shell", ...size };
    const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, key) => [`k${key}`, "v"]));
    expect(refusal("session.new", { ...base, metadata: keys(32) })).toBe("(taken)");
    expect(refusal("session.new", { ...base, metadata: keys(33) })).not.toBe("(taken)");
    expect(refusal("session.new", { ...base, metadata: { "": "v" } })).not.toBe("(taken)");
    expect(refusal("session.new", { ...base, metadata: { a: "x".repeat(4_097) } })).not.toBe("(taken)");
    const full = { a: "x".repeat(4_096), b: "x".repeat(4_096), c: "x".repeat(4_096), d: "x".repeat(4_092) };
    expect([isWithinMetadataLimits(full), isWithinMetadataLimits({ ...full, e: "" })]).toEqual([true, false]);
  });

  test("decimal strings are canonical", () => {
    const runtime = (runtime_generation: unknown) => ({ worker_instance_id: "w-1", runtime_generation });
    const output = (generation: unknown) => ({ session_id, runtime: runtime(generation), max_bytes: 1 });
    expect(refusal("session.output", output("18446744073709551615"))).toBe("(taken)");
    for (const generation of ["01", "-1", "18446744073709551616", 3, "", " 1"]) {
      expect(refusal("session.output", output(generation))).not.toBe("(taken)");
    }
  });

  test("output cursors need their runtime, waiting needs a cursor", () => {
    const runtime = { worker_instance_id: "w-1", runtime_generation: "1" };
    const base = { session_id, max_bytes: 783_240 };
    expect(refusal("session.output", { ...base, runtime, after_offset: "0", wait_ms: 8_000 })).toBe("(taken)");
    expect(refusal("session.output", { ...base, after_offset: "0" })).toContain("after_offset needs runtime");
    expect(refusal("session.output", { ...base, runtime, wait_ms: 1 })).toContain("wait_ms needs after_offset");
    for (const wrong of [{ max_bytes: 0 }, { max_bytes: 783_241 }]) {
      expect(refusal("session.output", { ...base, ...wrong })).not.toBe("(taken)");
    }
    for (const wait_ms of [0, 8_001]) {
      expect(refusal("session.output", { ...base, runtime, after_offset: "0", wait_ms })).not.toBe("(taken)");
    }
  });

  test("a wait has a predicate, filled lists and a bounded time", () => {
    const base = { session_id, timeout_ms: 8_000 };
    expect(refusal("session.wait", base)).toContain("predicate");
    expect(refusal("session.wait", { ...base, states: ["done"] })).toBe("(taken)");
    expect(refusal("session.wait", { ...base, after_output_offset: "1" })).toContain("need runtime");
    for (const wrong of [{ states: [] }, { activities: [] }, { states: ["gone"] }, { after_updated_at: "yesterday" }]) {
      expect(refusal("session.wait", { ...base, ...wrong })).not.toBe("(taken)");
    }
    for (const timeout_ms of [0, 8_001, 1.5]) {
      expect(refusal("session.wait", { session_id, timeout_ms, states: ["done"] })).not.toBe("(taken)");
    }
  });

  test("native references cannot be mistaken for options", () => {
    const report = (native_session_id: string) => ({
      session_id,
      worker_instance_id: "w-1",
      agent: "codex",
      pid: 1,
      pid_start_identity: "1",
      sequence: "1",
      expires_at: "2026-08-01T10:00:00Z",
      native_session_id,
    });
    expect(refusal("session.report_native_id", report("abc-1"))).toBe("(taken)");
    for (const reference of ["", "-rf", "a\nb", "x".repeat(513)]) {
      expect(refusal("session.report_native_id", report(reference))).not.toBe("(taken)");
    }
    expect(refusal("session.report_native_id", { ...report("a"), transcript_path: "relative" })).not.toBe("(taken)");
  });

  test("hostile values at every method are refused or taken, never thrown otherwise", () => {
    const hostile = [
      undefined,
      null,
      0,
      "",
      "x",
      [],
      [null],
      {},
      { session_id: {} },
      { __proto__: null },
      true,
      { filters: 1 },
    ];
    for (const name of Object.keys(METHODS) as MethodName[]) for (const value of hostile) refusal(name, value);
    const polluted = JSON.parse('{"session_id":"s-1","metadata":{"__proto__":"x","constructor":"y"}}') as unknown;
    const { metadata } = parseParams("session.set_metadata", polluted);
    expect(Object.getPrototypeOf(metadata)).toBe(Object.prototype);
    expect(metadata["constructor"]).toBe("y");
  });
});

describe("results and events", () => {
  const info: ReplyOf<"session.inspect"> = {
    id: newSessionId(),
    capabilities: { resume: false, fork: false },
    agent: "shell",
    agent_base: "shell",
    cwd: "/",
    pid: 7,
    ...size,
    state: "running",
    state_source: "process",
    created_at: "2026-08-01T10:00:00Z",
    updated_at: "2026-08-01T10:00:00Z",
  };

  test("unknown fields and enum values of a newer host stay", () => {
    const newer = { ...info, state: "hibernating", activity: "pondering", later: { deep: [1] } };
    expect(parseResult("session.inspect", newer) as unknown).toEqual(newer);
    const payload = { session_id, activity: "pondering", source: "telepathy", later: 1 };
    expect(parseEventPayload("agent_state", payload) as unknown).toEqual(payload);
  });

  test("what must be there is missed", () => {
    const { pid: _pid, ...incomplete } = info;
    expect(() => parseResult("session.inspect", incomplete)).toThrow(expect.objectContaining({ code: "json_error" }));
    expect(() => parseEventPayload("attach_opened", { session_id })).toThrow(
      expect.objectContaining({ code: "json_error" }),
    );
    expect(() => parseResult("subscribe", { subscribed: false })).toThrow();
  });

  test("activity_detail is optional and ours", () => {
    const detail = {
      kind: "rate_limited",
      until: "2026-08-01T11:00:00Z",
      evidence: { source: "screen", rule: "limit" },
    };
    expect(parseResult("session.inspect", { ...info, activity_detail: detail }).activity_detail?.kind).toBe(
      "rate_limited",
    );
  });

  test("a host may only write listed enum values", () => {
    // @ts-expect-error "hibernating" is no state that a host of this release writes
    const wrong: ReplyOf<"session.inspect"> = { ...info, state: "hibernating" };
    expect(wrong.state as string).toBe("hibernating");
  });
});

test("a handler map that lacks a method does not compile", () => {
  type Two = HandlerMap<null, "session.stop" | "daemon.health">;
  const complete: Two = {
    "session.stop": () => ({ stopped: true }),
    "daemon.health": () => ({ status: "ok", daemon_version: "0.1.0", protocol_version: 4 }),
  };
  // @ts-expect-error daemon.health is missing
  const incomplete: Two = { "session.stop": () => ({ stopped: true }) };
  // @ts-expect-error the reply lacks stopped
  const wrong: Two = { ...complete, "session.stop": () => ({}) };
  expect([Object.keys(complete).length, Object.keys(incomplete).length, Object.keys(wrong).length]).toEqual([2, 1, 2]);
});

test("params and results of all methods are declared", () => {
  for (const messages of Object.values(methods))
    expect([typeof messages.params.parse, typeof messages.result.parse]).toEqual(["function", "function"]);
});
