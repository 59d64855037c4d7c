const ESC = 0x1b;
const LEFT_BRACKET = 0x5b;
const LESS_THAN = 0x3c;

/** A longer sequence is no key that we know, whatever it is. */
const MAX_KEY_SEQUENCE_BYTES = 64;

// Lock keys are no part of a chord: bits of caps lock and num lock in the kitty protocol.
const LOCK_BITS = 64 | 128;

export interface Key {
  /** Unicode code point of the key without modifiers. */
  readonly code: number;
  /** The same key's code on a US layout, where the terminal tells it. */
  readonly baseCode: number | undefined;
  /** Modifier bits without the locks: 1 shift, 2 alt, 4 ctrl, 8 super. */
  readonly modifiers: number;
  readonly event: "press" | "repeat" | "release";
}

export type Sequence =
  /** The bytes end before the sequence does, and it may still become a key. */
  | { readonly type: "incomplete" }
  | { readonly type: "key"; readonly key: Key; readonly length: number }
  | { readonly type: "paste-start"; readonly length: number }
  | { readonly type: "other"; readonly length: number };

/** Reads the escape sequence that begins at `start`: keys in kitty's CSI-u and xterm's modifyOtherKeys encodings, and the start of a paste. */
export function readSequence(bytes: Uint8Array, start: number): Sequence {
  if (start + 1 >= bytes.length) return { type: "incomplete" };
  if (bytes[start + 1] !== LEFT_BRACKET) return { type: "other", length: 1 };
  let end = start + 2;
  while (end < bytes.length && isParameterByte(bytes[end] as number)) end += 1;
  const length = end + 1 - start;
  // `ESC [ <` begins a mouse report; holding one back would only delay the pointer.
  if (bytes[start + 2] === LESS_THAN || length > MAX_KEY_SEQUENCE_BYTES) return { type: "other", length: 1 };
  if (end >= bytes.length) return { type: "incomplete" };
  const parameters = String.fromCharCode(...bytes.subarray(start + 2, end));
  const final = String.fromCharCode(bytes[end] as number);
  if (final === "~" && parameters === "200") return { type: "paste-start", length };
  const key = keyOf(parameters, final);
  // An ESC in the middle starts a sequence of its own.
  return key === undefined
    ? { type: "other", length: bytes[end] === ESC ? length - 1 : length }
    : { type: "key", key, length };
}

function keyOf(parameters: string, final: string): Key | undefined {
  const fields = parameters
    .split(";")
    .map((field) => field.split(":").map((part) => (part === "" ? undefined : Number(part))));
  if (fields.some((field) => field.some((part) => part !== undefined && !Number.isSafeInteger(part)))) return undefined;
  if (final === "u") {
    const [codes = [], chord = []] = fields;
    return makeKey(codes[0], chord, codes[2]);
  }
  // CSI 27 ; modifiers ; code ~
  if (final === "~" && fields[0]?.[0] === 27) return makeKey(fields[2]?.[0], fields[1] ?? []);
  return undefined;
}

function makeKey(code: number | undefined, chord: readonly (number | undefined)[], baseCode?: number): Key | undefined {
  if (code === undefined) return undefined;
  const modifiers = Math.max(0, (chord[0] ?? 1) - 1) & ~LOCK_BITS;
  const event = chord[1] === 3 ? "release" : chord[1] === 2 ? "repeat" : "press";
  return { code, baseCode, modifiers, event };
}

function isParameterByte(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x3f;
}
