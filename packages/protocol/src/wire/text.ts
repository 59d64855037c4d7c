const strictDecoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();

/** Decodes UTF-8, or undefined when the bytes are not valid UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return strictDecoder.decode(bytes);
  } catch (cause) {
    // A fatal decoder says "not UTF-8" by TypeError; that is an answer here, not a failure.
    if (cause instanceof TypeError) return undefined;
    throw cause;
  }
}

export function encodeUtf8(text: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(text);
}

/** True when the text is at most this many UTF-8 bytes long. */
export function fitsUtf8(text: string, maxBytes: number): boolean {
  // A UTF-16 unit is one to three bytes, so most text is decided without encoding it.
  if (text.length > maxBytes) return false;
  return text.length * 3 <= maxBytes || encoder.encode(text).length <= maxBytes;
}

/** True when the text holds a C0, DEL or C1 control character. */
export function hasControlCharacter(text: string): boolean {
  return /[\u0000-\u001f\u007f-\u009f]/.test(text);
}

/** Parses JSON, or undefined when it is malformed. */
export function parseJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (cause) {
    // JSON.parse says "not JSON" by SyntaxError; that is an answer here, not a failure.
    if (cause instanceof SyntaxError) return undefined;
    throw cause;
  }
}

/** True for a JSON object (not an array, not null). */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
