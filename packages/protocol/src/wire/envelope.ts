import { isOpaqueId } from "./ids.ts";
import { MAX_CONTROL_LINE_BYTES } from "./limits.ts";
import type { ProtocolError, WireError } from "./protocol-error.ts";
import { parseWireError, protocolError } from "./protocol-error.ts";
import { decodeUtf8, encodeUtf8, hasControlCharacter, isRecord, parseJson } from "./text.ts";
import type { VersionRange } from "./version.ts";

/** Who asks, when the asker runs inside a managed session. Both or neither. */
export interface OriginPair {
  readonly origin_session_id: string;
  readonly origin_daemon_id: string;
}

/** One request as it travels. */
export interface Request extends Partial<OriginPair> {
  readonly v: VersionRange;
  readonly id: string;
  readonly method: string;
  readonly params: unknown;
  readonly invalid?: undefined;
}

/** A line that is no request. It is answered with `id` and code `bad_request`, and the connection stays open. */
export interface InvalidEnvelope {
  readonly id: typeof INVALID_REQUEST_ID;
  /** What is wrong, for people. */
  readonly invalid: string;
}

export interface SuccessResponse {
  readonly v: number;
  readonly id: string;
  readonly ok: unknown;
  readonly err?: undefined;
}

export interface FailureResponse {
  readonly v: number;
  readonly id: string;
  readonly err: WireError;
  readonly ok?: undefined;
}

export type Response = SuccessResponse | FailureResponse;

/** An event as it travels: its payload lies beside `v`, `event` and the optional id of the subscription. */
export interface EventEnvelope {
  readonly v: number;
  readonly event: string;
  readonly id?: string;
  readonly [payloadKey: string]: unknown;
}

/** Answers to lines without a usable id carry this one. */
export const INVALID_REQUEST_ID = "invalid-request";

const U32_MAX = 4_294_967_295;
const REQUEST_KEYS = new Set(["v", "id", "method", "params", "origin_session_id", "origin_daemon_id"]);

function invalid(reason: string): InvalidEnvelope {
  return { id: INVALID_REQUEST_ID, invalid: reason };
}

/** Reads one line as a request. Never throws: what is wrong with a line is a value. */
export function parseRequestEnvelope(line: Uint8Array): Request | InvalidEnvelope {
  const text = decodeUtf8(line);
  if (text === undefined) return invalid("the line is not valid UTF-8");
  const json = parseJson(text);
  if (json === undefined) return invalid("the line is not valid JSON");
  const { value } = json;
  if (!isRecord(value)) return invalid("a request is a JSON object");
  const reason = explainInvalid(value);
  if (reason !== undefined) return invalid(reason);
  if (value["params"] === undefined) value["params"] = null;
  return value as unknown as Request;
}

function explainInvalid(value: Record<string, unknown>): string | undefined {
  for (const key in value) if (!REQUEST_KEYS.has(key)) return "a request has an unknown key";
  if (!isVersionRange(value["v"])) return "v must be {minimum, maximum} with 0 < minimum <= maximum";
  if (!isOpaqueId(value["id"])) return "id must be 1 to 128 of A-Z a-z 0-9 - _ . :";
  const { method } = value;
  if (typeof method !== "string" || method === "" || hasControlCharacter(method)) return "method must be a name";
  const { origin_session_id: session, origin_daemon_id: daemon } = value;
  if (session === undefined && daemon === undefined) return undefined;
  return isOpaqueId(session) && isOpaqueId(daemon)
    ? undefined
    : "origin_session_id and origin_daemon_id come together, each 1 to 128 of A-Z a-z 0-9 - _ . :";
}

function isVersionRange(value: unknown): value is VersionRange {
  if (!isRecord(value)) return false;
  const { minimum, maximum } = value;
  for (const key in value) if (key !== "minimum" && key !== "maximum") return false;
  return isVersion(minimum) && isVersion(maximum) && minimum <= maximum;
}

function isVersion(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) > 0 && (value as number) <= U32_MAX;
}

/** Reads a parsed line as a response; undefined when it is none. Exactly one of ok and err is set. */
export function parseResponse(value: unknown): Response | undefined {
  if (!isRecord(value) || !isVersion(value["v"]) || typeof value["id"] !== "string") return undefined;
  const hasOk = "ok" in value;
  if (hasOk === "err" in value) return undefined;
  if (!hasOk && parseWireError(value["err"]) === undefined) return undefined;
  return value as unknown as Response;
}

/** Reads a parsed line as an event; undefined when it is none. */
export function parseEvent(value: unknown): EventEnvelope | undefined {
  if (!isRecord(value) || !isVersion(value["v"])) return undefined;
  const { event, id } = value;
  if (typeof event !== "string" || event === "") return undefined;
  return id === undefined || typeof id === "string" ? (value as EventEnvelope) : undefined;
}

/** Writes one JSON value as a line with its LF. Throws `framing` above the line ceiling. */
export function encodeLine(value: unknown): Uint8Array<ArrayBuffer> {
  return encodeText(JSON.stringify(value));
}

/** A success, ready to write. */
export function encodeSuccess(version: number, id: string, result: unknown): Uint8Array<ArrayBuffer> {
  return encodeText(`{"v":${version},"id":${JSON.stringify(id)},"ok":${JSON.stringify(result ?? null)}}`);
}

/** A failure, ready to write. */
export function encodeFailure(version: number, id: string, error: ProtocolError): Uint8Array<ArrayBuffer> {
  return encodeText(`{"v":${version},"id":${JSON.stringify(id)},"err":${JSON.stringify(error.toWire())}}`);
}

/** An event, ready to write to any number of subscribers of the same version. */
export function encodeEvent(version: number, event: string, payload: object): Uint8Array<ArrayBuffer> {
  const body = JSON.stringify(payload);
  const head = `{"v":${version},"event":${JSON.stringify(event)}`;
  return encodeText(body === "{}" ? `${head}}` : `${head},${body.slice(1)}`);
}

function encodeText(text: string): Uint8Array<ArrayBuffer> {
  const bytes = encodeUtf8(`${text}\n`);
  if (bytes.length - 1 > MAX_CONTROL_LINE_BYTES) {
    throw protocolError("framing", { message: `a message of ${bytes.length - 1} bytes does not fit in a line` });
  }
  return bytes;
}
