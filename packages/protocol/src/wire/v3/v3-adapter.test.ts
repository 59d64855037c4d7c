import { describe, expect, test } from "bun:test";
import { adapterFor } from "../adapter.ts";

const v3 = adapterFor(3);

describe("what the adapter does not touch", () => {
  test("values are not changed in place", () => {
    const warnings = [{ kind: "fetch" }, { kind: "quota" }];
    const old = {
      session: { runtime: { runtime_id: "w-2" }, warnings },
      previous_runtime_id: "w-1",
      runtime_id: "w-2",
    };
    const before = structuredClone(old);
    const upgraded = v3.upgradeEvent("session_native_recovered", old);
    expect(old).toEqual(before);
    const upgradedBefore = structuredClone(upgraded);
    v3.downgradeEvent("session_native_recovered", upgraded);
    expect(upgraded).toEqual(upgradedBefore);
  });

  test("metadata keeps keys that look like ours in both directions", () => {
    const metadata = { worker_instance_id: "mine", runtime_id: "mine too", runtime: { runtime_id: "deep" } };
    const params = { session_id: "s-1", metadata };
    expect(v3.upgradeParams("session.set_metadata", params)).toBe(params);
    const result = { session: { id: "s-1", metadata, runtime: { worker_instance_id: "w-1" } } };
    expect(v3.downgradeResult("session.rename", result)).toEqual({
      session: { id: "s-1", metadata, runtime: { runtime_id: "w-1" } },
    });
  });

  test("a package's runtime_id is no worker's", () => {
    const result = { generation: 1, packages: [{ digest: "sha256:0", runtime_id: "claude" }] };
    expect(v3.downgradeResult("package.list", result)).toBe(result);
    expect(v3.upgradeResult("package.list", result)).toBe(result);
  });

  test("what is absent stays absent", () => {
    const upgraded = v3.upgradeEvent("session_native_recovered", { session: {}, runtime_id: "w-1" });
    expect(Object.keys(upgraded)).toEqual(["session", "worker_instance_id"]);
    expect(Object.keys(v3.downgradeResult("session.read", { text: "" }) as object)).toEqual(["text"]);
  });

  test("unknown fields, methods and absent values pass", () => {
    const result = { session: { runtime: { runtime_id: "w-1", later: 1 }, later: { runtime_id: "x" } }, later: true };
    expect(v3.upgradeResult("session.wait", result)).toEqual({
      session: { runtime: { worker_instance_id: "w-1", later: 1 }, later: { runtime_id: "x" } },
      later: true,
    });
    expect(v3.upgradeResult("no.such.method", result)).toBe(result);
    expect(v3.upgradeParams("session.output", null)).toBeNull();
    expect(v3.upgradeResult("session.input", { accepted: true })).toEqual({ accepted: true });
  });
});

describe("what cannot be translated", () => {
  const failure = expect.objectContaining({ code: "version_translation_failed", class: "daemon" }) as Error;

  test("both spellings at one place are a conflict, not a merge", () => {
    const both = { worker_instance_id: "w-1", runtime_id: "w-1", runtime_generation: "1" };
    expect(() => v3.upgradeParams("session.output", { session_id: "s-1", runtime: both })).toThrow(failure);
    expect(() => v3.downgradeParams("session.wait", { session_id: "s-1", runtime: both })).toThrow(failure);
    expect(() => v3.upgradeResult("session.screen", both)).toThrow(failure);
    expect(() => v3.downgradeResult("session.screen", both)).toThrow(failure);
    expect(() => v3.upgradeResult("session.list", [{ runtime: both }])).toThrow(failure);
    expect(() => v3.upgradeResult("session.runtime_inventory", { entries: [{}, both] })).toThrow(failure);
    expect(() => v3.upgradeEvent("agent_state", { runtime: both })).toThrow(failure);
    const recovered = { previous_runtime_id: "a", previous_worker_instance_id: "b" };
    expect(() => v3.upgradeEvent("session_native_recovered", recovered)).toThrow(failure);
  });

  test("today's spelling alone is not protocol 3", () => {
    const runtime = { worker_instance_id: "w-1", runtime_generation: "1" };
    expect(() => v3.upgradeParams("session.output", { session_id: "s-1", runtime })).toThrow(failure);
    expect(() => v3.upgradeResult("session.inspect", { runtime })).toThrow(failure);
    expect(() => v3.upgradeEvent("session_updated", { session: { runtime } })).toThrow(failure);
  });

  test("something else at a typed place", () => {
    expect(() => v3.upgradeResult("session.list", { runtime: {} })).toThrow(failure);
    expect(() => v3.upgradeResult("session.inspect", "s-1")).toThrow(failure);
    expect(() => v3.upgradeResult("session.inspect", { runtime: ["w-1"] })).toThrow(failure);
    expect(() => v3.upgradeParams("session.output", { session_id: "s-1", runtime: "w-1" })).toThrow(failure);
    expect(() => v3.upgradeEvent("agent_state", { runtime: 7 })).toThrow(failure);
  });
});

describe("what protocol 3 must not see", () => {
  test("warnings of newer kinds are left out, and an empty list with them", () => {
    const warn = (...kinds: string[]) => ({ session: { warnings: kinds.map((kind) => ({ kind, message: "m" })) } });
    expect(v3.downgradeResult("session.wait", warn("fetch", "quota", "hook"))).toEqual(warn("fetch", "hook"));
    expect(v3.downgradeResult("session.wait", warn("quota"))).toEqual({ session: {} });
    expect(v3.downgradeEvent("session_updated", warn("quota", "setup_script"))).toEqual(warn("setup_script"));
    const known = warn("base_branch_fallback");
    expect(v3.downgradeResult("session.wait", known)).toBe(known);
    expect(v3.upgradeResult("session.wait", warn("quota"))).toEqual(warn("quota"));
  });

  test("events of later versions are withheld, but not from version 4", () => {
    expect(v3.downgradeEvent("session_moved", { session: {} })).toBeUndefined();
    expect(adapterFor(4).downgradeEvent("session_moved", { session: {} })).toEqual({ session: {} });
  });
});

test("version 4 is not translated, others have no adapter", () => {
  const v4 = adapterFor(4);
  const value = { runtime: { worker_instance_id: "w-1" } };
  expect(v4.upgradeParams("session.output", value)).toBe(value);
  expect(v4.downgradeResult("session.screen", value)).toBe(value);
  for (const version of [0, 2, 5]) expect(() => adapterFor(version)).toThrow(RangeError);
});
