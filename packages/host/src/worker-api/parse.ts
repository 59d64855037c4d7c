import { workerError } from "./worker-error.ts";

/**
 * Exact parsing by hand: a worker starts in a few milliseconds and must not load a schema library. Each reader names the
 * field it refuses, never its value.
 */
export type JsonObject = Readonly<Record<string, unknown>>;

export function refuse(what: string): never {
  throw workerError("worker_invalid_request", `Invalid ${what}.`);
}

export function asObject(value: unknown, what: string): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : refuse(what);
}

/** Refuses members that are not in `names`: a request with one comes from a peer that means something we don't do. */
export function onlyMembers(value: JsonObject, names: readonly string[]): JsonObject {
  for (const name of Object.keys(value)) {
    if (!names.includes(name)) {
      refuse(`member ${JSON.stringify(name.slice(0, 64))}`);
    }
  }
  return value;
}

export interface IntegerRange {
  readonly min: number;
  readonly max: number;
}

export function integer(value: JsonObject, name: string, range: IntegerRange): number {
  const member = value[name];
  const isInside =
    typeof member === "number" && Number.isSafeInteger(member) && member >= range.min && member <= range.max;
  return isInside ? member : refuse(name);
}

export function optionalInteger(value: JsonObject, name: string, range: IntegerRange): number | undefined {
  return value[name] === undefined ? undefined : integer(value, name, range);
}

/** A string of 1 to `maxBytes` UTF-16 units without NUL. */
export function text(value: JsonObject, name: string, maxLength: number): string {
  const member = value[name];
  const isValid =
    typeof member === "string" && member.length > 0 && member.length <= maxLength && !member.includes("\0");
  return isValid ? member : refuse(name);
}

export function optionalBoolean(value: JsonObject, name: string): boolean | undefined {
  const member = value[name];
  return member === undefined || typeof member === "boolean" ? member : refuse(name);
}

export function optionalText(value: JsonObject, name: string, maxLength: number): string | undefined {
  return value[name] === undefined ? undefined : text(value, name, maxLength);
}

export function oneOf<const Choice extends string>(
  value: JsonObject,
  name: string,
  choices: readonly Choice[],
): Choice {
  const member = value[name];
  return choices.find((choice) => choice === member) ?? refuse(name);
}

export function optionalOneOf<const Choice extends string>(
  value: JsonObject,
  name: string,
  choices: readonly Choice[],
): Choice | undefined {
  return value[name] === undefined ? undefined : oneOf(value, name, choices);
}

export function list(value: JsonObject, name: string, lengths: IntegerRange): readonly unknown[] {
  const member = value[name];
  const isValid = Array.isArray(member) && member.length >= lengths.min && member.length <= lengths.max;
  return isValid ? (member as readonly unknown[]) : refuse(name);
}

/** Canonical base64 of at most `maxBytes` bytes. */
export function base64(value: JsonObject, name: string, maxBytes: number): Buffer {
  const member = value[name];
  if (typeof member !== "string") {
    return refuse(name);
  }
  const bytes = Buffer.from(member, "base64");
  // Buffer skips what it does not understand; writing it back shows whether anything was skipped.
  return bytes.length <= maxBytes && bytes.toString("base64") === member ? bytes : refuse(name);
}
