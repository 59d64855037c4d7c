import { encodeLine, parseResponse } from "./envelope.ts";
import type { StreamId } from "./ids.ts";
import { isStreamId } from "./ids.ts";
import { MAX_CONTROL_LINE_BYTES } from "./limits.ts";
import type { ProtocolError } from "./protocol-error.ts";
import { errorFromWire } from "./protocol-error.ts";
import { decodeUtf8, isRecord, parseJson } from "./text.ts";

const LINE_FEED = 0x0a;
const OPEN_BRACE = 0x7b;

/** The first line of an attach connection. */
export function encodeAttachPrelude(streamId: StreamId): Uint8Array<ArrayBuffer> {
  return encodeLine({ attach: streamId });
}

/** Reads the first line of a connection as an attach prelude: exactly the one key. Undefined for any other line. */
export function parseAttachPrelude(line: Uint8Array): StreamId | undefined {
  if (line[0] !== OPEN_BRACE) return undefined;
  const text = decodeUtf8(line);
  const value = text === undefined ? undefined : parseJson(text)?.value;
  if (!isRecord(value) || Object.keys(value).length !== 1) return undefined;
  return isStreamId(value["attach"]) ? value["attach"] : undefined;
}

/**
 * Decides what the first bytes of an attach answer are. A repaint never begins with `{`, an error response always does
 * and is one whole line: "more" means that the line's end has not come yet.
 */
export function readAttachAnswer(firstBytes: Uint8Array): "terminal" | "more" | ProtocolError {
  if (firstBytes.length === 0) return "more";
  if (firstBytes[0] !== OPEN_BRACE) return "terminal";
  const end = firstBytes.indexOf(LINE_FEED);
  if (end === -1) return firstBytes.length > MAX_CONTROL_LINE_BYTES ? "terminal" : "more";
  const text = decodeUtf8(firstBytes.subarray(0, end));
  const response = text === undefined ? undefined : parseResponse(parseJson(text)?.value);
  return response?.err === undefined ? "terminal" : errorFromWire(response.err);
}
