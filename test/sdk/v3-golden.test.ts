import { describe, expect, test } from "bun:test";
import type { EventName, MethodName } from "@pohunek/protocol";
import { events, methods, parseEventPayload, parseParams, parseResult } from "@pohunek/protocol";
import { adapterFor, EVENT_NAMES, introducedIn, METHODS, methodRow } from "@pohunek/protocol/wire";
import { readGoldenMessages } from "./v3-messages.ts";

const { methods: goldenMethods, events: goldenEvents } = readGoldenMessages();
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
    // Methods of our own are answered on every connection, and are no part of the published protocol.
    const names = (Object.keys(METHODS) as MethodName[]).filter((name) => methodRow(name).isOurs !== true);
    const known = names.filter((name) => introducedIn(name) <= 3);
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

test("every declared message is reachable by its name", () => {
  expect(Object.keys(methods).toSorted()).toEqual(Object.keys(METHODS).toSorted());
  expect(Object.keys(events).toSorted()).toEqual([...EVENT_NAMES].toSorted());
});
