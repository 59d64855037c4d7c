import { expect, test } from "bun:test";
import { introducedIn, isVersionDependent } from "./adapter.ts";
import { EVENT_NAMES, isEventName } from "./events.ts";
import type { MethodName } from "./methods.ts";
import { isMethodName, METHODS, methodRow, servedMethod } from "./methods.ts";

const names = Object.keys(METHODS) as MethodName[];
const namesWhere = (isMeant: (name: MethodName) => boolean) => names.filter(isMeant).toSorted();

test("there are 63 methods beside our own, and 16 events", () => {
  expect(namesWhere((name) => methodRow(name).isOurs !== true).length).toBe(63);
  expect(new Set(EVENT_NAMES).size).toBe(16);
  expect([isEventName("agent_state"), isEventName("toString")]).toEqual([true, false]);
});

test("exactly nine methods beside our own are guarded against their own session", () => {
  const isGuarded = (name: MethodName): boolean => methodRow(name).isOriginGuarded === true;
  expect(namesWhere((name) => isGuarded(name) && methodRow(name).isOurs === true)).toContain("session.answer");
  expect(namesWhere((name) => isGuarded(name) && methodRow(name).isOurs !== true)).toEqual([
    "session.fork",
    "session.input",
    "session.remove",
    "session.remove_accepting_unconfirmed",
    "session.rename",
    "session.resize",
    "session.resume",
    "session.set_metadata",
    "session.stop",
  ]);
});

test("only native reports and packages are bound to the host itself", () => {
  const local = namesWhere((name) => methodRow(name).right === "local_only");
  expect(local.length).toBe(10);
  expect(local.filter((name) => !name.startsWith("package."))).toEqual(["session.report_native_id"]);
});

test("only packages are newer than the oldest served version", () => {
  const introduced = namesWhere((name) => introducedIn(name) > 3);
  expect(introduced).toEqual(namesWhere((name) => name.startsWith("package.")));
  expect(introduced.length).toBe(9);
});

test("a name that is no method is none, whatever objects inherit", () => {
  for (const name of ["status", "toString", "__proto__", "constructor", ""]) {
    expect(isMethodName(name)).toBe(false);
    expect(servedMethod(name, 4)).toBeUndefined();
  }
});

test("what is not implemented is not served, nor what a version does not have", () => {
  for (const name of names) {
    const { implemented, introduced = 3 } = methodRow(name);
    expect(servedMethod(name, 4) !== undefined).toBe(implemented);
    expect(servedMethod(name, 3) !== undefined).toBe(implemented && introduced <= 3);
  }
});

test("requests that carry a worker's identity or a new method depend on the version", () => {
  const runtime = { worker_instance_id: "w-1", runtime_generation: "1" };
  expect(isVersionDependent("session.output", { session_id: "s-1", runtime, max_bytes: 1 })).toBe(true);
  expect(isVersionDependent("session.output", { session_id: "s-1", max_bytes: 1 })).toBe(false);
  expect(isVersionDependent("session.wait", { session_id: "s-1", runtime, timeout_ms: 1 })).toBe(true);
  expect(isVersionDependent("session.report_native_id", { session_id: "s-1", worker_instance_id: "w-1" })).toBe(true);
  expect(isVersionDependent("package.list", null)).toBe(true);
  expect(isVersionDependent("session.screen", { session_id: "s-1" })).toBe(false);
  expect(isVersionDependent("session.set_metadata", { session_id: "s-1", metadata: runtime })).toBe(false);
});
