import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { events, methods, parseEventPayload, parseParams, parseResult } from "../../index.ts";
import { adapterFor, introducedIn } from "../adapter.ts";
import type { EventName } from "../events.ts";
import { EVENT_NAMES } from "../events.ts";
import type { MethodName } from "../methods.ts";
import { METHODS } from "../methods.ts";

interface Golden {
  readonly methods: Record<string, { readonly params: unknown; readonly result: unknown }>;
  readonly events: Record<string, object>;
}

/** Messages as a daemon and a client of protocol 3 write them. */
function readGolden(file: string): Golden {
  return JSON.parse(readFileSync(new URL(`../../../fixtures/v3/${file}.json`, import.meta.url), "utf8")) as Golden;
}

const files = ["host", "sessions", "projects"].map(readGolden);
const goldenMethods = Object.assign({}, ...files.map((file) => file.methods)) as Golden["methods"];
const goldenEvents = Object.assign({}, ...files.map((file) => file.events)) as Golden["events"];
const v3 = adapterFor(3);

/** What free text may hold is never translated. */
const FREE_FORM = new Set(["metadata"]);

/** A second, independent translation: rename every key, everywhere but in free-form values. */
function renameBlindly(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((element: unknown) => renameBlindly(element, names));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, child]): [string, unknown] => [
    names.get(key) ?? key,
    FREE_FORM.has(key) ? child : renameBlindly(child, names),
  ]);
  return Object.fromEntries(entries);
}

const UP = new Map([
  ["runtime_id", "worker_instance_id"],
  ["previous_runtime_id", "previous_worker_instance_id"],
]);

describe("golden messages of protocol 3", () => {
  test("every method and event that protocol 3 has is among them, and no other", () => {
    const known = Object.keys(METHODS).filter((name) => introducedIn(name) <= 3);
    expect(Object.keys(goldenMethods).toSorted()).toEqual(known.toSorted());
    expect(Object.keys(goldenEvents).toSorted()).toEqual([...EVENT_NAMES].toSorted());
  });

  for (const [name, golden] of Object.entries(goldenMethods)) {
    test(`${name} becomes today's shape and goes back unchanged`, () => {
      const params = v3.upgradeParams(name, golden.params);
      const result = v3.upgradeResult(name, golden.result);
      expect(params).toEqual(renameBlindly(golden.params, UP));
      expect(result).toEqual(renameBlindly(golden.result, UP));
      parseParams(name as MethodName, params);
      expect(parseResult(name as MethodName, result) as unknown).toEqual(result);
      expect(v3.downgradeParams(name, params)).toEqual(golden.params);
      expect(v3.downgradeResult(name, result)).toEqual(golden.result);
    });
  }

  for (const [name, payload] of Object.entries(goldenEvents)) {
    test(`event ${name} becomes today's shape and goes back unchanged`, () => {
      const upgraded = v3.upgradeEvent(name, payload);
      expect(upgraded).toEqual(renameBlindly(payload, UP) as object);
      expect(parseEventPayload(name as EventName, upgraded) as unknown).toEqual(upgraded);
      expect(v3.downgradeEvent(name, upgraded)).toEqual(payload);
    });
  }

  test("the messages hold what must be translated and what must not", () => {
    const text = JSON.stringify([goldenMethods, goldenEvents]);
    expect(text.match(/"runtime_id":"w-/g)?.length ?? 0).toBeGreaterThan(20);
    expect(text).toContain('"metadata":{"runtime_id":"mine","worker_instance_id":"also mine"');
  });
});

describe("what the adapter does not touch", () => {
  test("values are not changed in place", () => {
    const payload = structuredClone(goldenEvents["session_native_recovered"]);
    const upgraded = v3.upgradeEvent("session_native_recovered", payload as object);
    const before = structuredClone(upgraded);
    v3.downgradeEvent("session_native_recovered", upgraded);
    expect(payload).toEqual(goldenEvents["session_native_recovered"]);
    expect(upgraded).toEqual(before);
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

test("every declared message is reachable by its name", () => {
  expect(Object.keys(methods).toSorted()).toEqual(Object.keys(METHODS).toSorted());
  expect(Object.keys(events).toSorted()).toEqual([...EVENT_NAMES].toSorted());
});
