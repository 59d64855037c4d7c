import { describe, expect, test } from "bun:test";
import type { InvalidEnvelope, Request } from "./envelope.ts";
import {
  encodeEvent,
  encodeFailure,
  encodeLine,
  encodeSuccess,
  parseEvent,
  parseRequestEnvelope,
  parseResponse,
} from "./envelope.ts";
import { MAX_CONTROL_LINE_BYTES } from "./limits.ts";
import { protocolError } from "./protocol-error.ts";
import { decodeUtf8, encodeUtf8 } from "./text.ts";

const range = { minimum: 3, maximum: 4 };
const valid = { v: range, id: "r-1", method: "daemon.health" };

function parse(value: unknown): Request | InvalidEnvelope {
  return parseRequestEnvelope(encodeUtf8(typeof value === "string" ? value : JSON.stringify(value)));
}

function expectInvalid(value: unknown): void {
  const parsed = parse(value);
  expect({ value, id: parsed.id, isInvalid: parsed.invalid !== undefined }).toEqual({
    value,
    id: "invalid-request",
    isInvalid: true,
  });
}

describe("requests", () => {
  test("a request is read, and absent params are null", () => {
    expect(parse(valid)).toEqual({ ...valid, params: null });
    expect(parse({ ...valid, params: [1] })).toEqual({ ...valid, params: [1] });
    expect(parse(`${JSON.stringify(valid)}\r`)).toEqual({ ...valid, params: null });
  });

  test("the origin pair comes whole or not at all", () => {
    const origin = { origin_session_id: "s-1", origin_daemon_id: "d-1" };
    expect(parse({ ...valid, ...origin })).toEqual({ ...valid, ...origin, params: null });
    expectInvalid({ ...valid, origin_session_id: "s-1" });
    expectInvalid({ ...valid, origin_daemon_id: "d-1" });
    expectInvalid({ ...valid, origin_session_id: "s-1", origin_daemon_id: null });
    expectInvalid({ ...valid, origin_session_id: "s 1", origin_daemon_id: "d-1" });
    expectInvalid({ ...valid, origin_session_id: "s-1", origin_daemon_id: "d".repeat(129) });
  });

  test("a version is a range of two non-zero u32, never an integer", () => {
    for (const v of [1, 4, "4", null, [3, 4], {}, { minimum: 3 }, { maximum: 4 }, { minimum: 4, maximum: 3 }]) {
      expectInvalid({ ...valid, v });
    }
    for (const minimum of [0, -1, 1.5, "3", 4_294_967_296])
      expectInvalid({ ...valid, v: { minimum, maximum: 2 ** 33 } });
    expectInvalid({ ...valid, v: { ...range, preferred: 4 } });
    expect(parse({ ...valid, v: { minimum: 1, maximum: 4_294_967_295 } }).invalid).toBeUndefined();
  });

  test("ids and methods outside their alphabet are refused", () => {
    for (const id of ["", "a b", "x".repeat(129), 7, null, "ä"]) expectInvalid({ ...valid, id });
    for (const method of ["", "a\nb", "a\u0085", 7, null]) expectInvalid({ ...valid, method });
    expect(parse({ ...valid, id: "x".repeat(128) }).invalid).toBeUndefined();
    expect(parse({ ...valid, method: "no.such method" }).invalid).toBeUndefined();
  });

  test("unknown keys, other JSON, blank lines and broken text are refused without a throw", () => {
    expectInvalid({ ...valid, extra: true });
    expectInvalid('{"v":{"minimum":3,"maximum":4},"id":"r","method":"m","__proto__":{}}');
    for (const line of ["", "\r", " ", "null", "[]", "1", '"x"', "{", "{}", "\u0000"]) expectInvalid(line);
    expect(parseRequestEnvelope(new Uint8Array([0x7b, 0xff, 0x7d])).invalid).toContain("UTF-8");
    const surrogate = encodeUtf8(JSON.stringify(valid)).slice();
    surrogate.set([0xed, 0xa0, 0x80], surrogate.indexOf(0x64));
    expect(parseRequestEnvelope(surrogate).invalid).toContain("UTF-8");
  });

  test("a byte order mark is not swallowed", () => {
    expectInvalid(`\ufeff${JSON.stringify(valid)}`);
  });
});

describe("responses and events", () => {
  test("exactly one of ok and err is a response", () => {
    const err = { class: "runtime", code: "session_not_found", msg: "none" };
    expect(parseResponse({ v: 4, id: "r", ok: null })?.err).toBeUndefined();
    expect(parseResponse({ v: 4, id: "r", err })?.err).toEqual(err as never);
    for (const value of [
      { v: 4, id: "r" },
      { v: 4, id: "r", ok: 1, err },
      { v: 0, id: "r", ok: 1 },
      { id: "r", ok: 1 },
      [],
    ]) {
      expect(parseResponse(value)).toBeUndefined();
    }
    for (const broken of [
      { ...err, extra: 1 },
      { ...err, class: "other" },
      { ...err, code: "" },
      { ...err, recover: 1 },
    ]) {
      expect(parseResponse({ v: 4, id: "r", err: broken })).toBeUndefined();
    }
  });

  test("what is written is what is read", () => {
    const read = (bytes: Uint8Array) => JSON.parse(decodeUtf8(bytes) ?? "") as unknown;
    expect(read(encodeSuccess(4, "r-1", { a: "ž\u2028" }))).toEqual({ v: 4, id: "r-1", ok: { a: "ž\u2028" } });
    expect(read(encodeSuccess(4, "r-1", undefined))).toEqual({ v: 4, id: "r-1", ok: null });
    const failure = parseResponse(read(encodeFailure(3, "r-2", protocolError("session_not_found"))));
    expect([failure?.v, failure?.err?.code]).toEqual([3, "session_not_found"]);
    const event = parseEvent(read(encodeEvent(4, "attach_opened", { session_id: "s-1", stream_id: "a-1" })));
    expect(event).toEqual({ v: 4, event: "attach_opened", session_id: "s-1", stream_id: "a-1" });
    expect(read(encodeEvent(4, "tick", {}))).toEqual({ v: 4, event: "tick" });
  });

  test("every line ends with its only line feed", () => {
    for (const bytes of [
      encodeLine({ text: "a\nb" }),
      encodeSuccess(4, "r", "a\nb"),
      encodeEvent(4, "e", { a: "\n" }),
    ]) {
      expect(bytes.indexOf(0x0a)).toBe(bytes.length - 1);
    }
  });

  test("a line at the ceiling is written, one byte more is refused", () => {
    expect(encodeLine("x".repeat(MAX_CONTROL_LINE_BYTES - 2)).length).toBe(MAX_CONTROL_LINE_BYTES + 1);
    expect(() => encodeLine("x".repeat(MAX_CONTROL_LINE_BYTES - 1))).toThrow(
      expect.objectContaining({ code: "framing" }),
    );
  });

  test("a response is not taken for an event", () => {
    expect(parseEvent({ v: 4, id: "r", ok: {} })).toBeUndefined();
    expect(parseEvent({ v: 4, event: "e", id: 7 })).toBeUndefined();
    expect(parseEvent("event")).toBeUndefined();
  });
});
