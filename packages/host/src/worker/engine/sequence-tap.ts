/** What the tap found: something that libghostty-vt passes over in silence but that a terminal has to know or answer. */
export type TappedSequence =
  | { readonly kind: "modify-other-keys"; readonly level: number }
  | { readonly kind: "reset" }
  | { readonly kind: "modify-other-keys-query" }
  | { readonly kind: "extended-cursor-query" }
  | { readonly kind: "ansi-mode-query"; readonly mode: number }
  | { readonly kind: "color-change" }
  | { readonly kind: "clipboard-query" }
  | { readonly kind: "program-status"; readonly payload: string };

export interface TapMatch {
  readonly sequence: TappedSequence;
  /** Offset behind the sequence in the bytes given to `next`. */
  readonly end: number;
}

const ESC = 0x1b;
const BEL = 0x07;
/** OSC 7501 is limited to 4,096 bytes by its specification; what is longer is not carried across writes. */
const CARRY_BYTES = 4_200;
/** Longest control sequence looked at: three numbers and a final byte. */
const CSI_BYTES = 32;

const NOTHING = new Uint8Array(0);

const NEEDLES = ["\x1b[>", "\x1bc", "\x1b[?6n", "\x1b[?4m", "$p", "\x1b]7501;", "\x1b]52;", "\x1b]4;", "\x1b]1"].map(
  (text) => Buffer.from(text, "latin1"),
);
/** How far a needle stands behind the start of its sequence, at most. */
const LOOK_BACK = 8;

/**
 * Looks for a handful of rare sequences without parsing the stream: a few searches by `indexOf`, about 0.07 us for 4 KB each,
 * against 15 to 60 us that the engine needs for them. In every string state of a terminal an ESC ends the string, so a match that
 * starts with ESC is what it looks like.
 */
export class SequenceTap {
  #carry: Uint8Array = NOTHING;
  /** For each needle the next match in the bytes that are being looked through. */
  readonly #ahead: (FoundMatch | undefined)[] = [];
  #isFresh = true;

  /** The first tapped sequence in `bytes` behind `from`; call it with 0 first, then with the end of each match. */
  next(bytes: Uint8Array, from: number): TapMatch | undefined {
    const carried = this.#carry.length > 0 ? this.#completeCarry(bytes) : undefined;
    if (carried !== undefined) return carried;
    const buffer = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let best: FoundMatch | undefined;
    for (let index = 0; index < NEEDLES.length; index += 1) {
      let match = this.#ahead[index];
      // What is behind us is looked for again; what is not there at all stays so, however many matches others have.
      if (this.#isFresh || (match !== undefined && match.start < from))
        match = firstMatch(buffer, NEEDLES[index]!, from);
      this.#ahead[index] = match;
      if (match !== undefined && (best === undefined || match.end < best.end)) best = match;
    }
    this.#isFresh = false;
    return best;
  }

  /** Remembers the beginning of a sequence that goes on in the next write. `isGround`: there is none. */
  keep(bytes: Uint8Array, isGround: boolean): void {
    this.#isFresh = true;
    if (isGround) {
      this.#carry = NOTHING;
      return;
    }
    const start = bytes.lastIndexOf(ESC);
    const joined = start >= 0 ? bytes.slice(start) : join(this.#carry, bytes);
    this.#carry = joined.length > CARRY_BYTES || joined[0] !== ESC ? NOTHING : joined;
  }

  #completeCarry(bytes: Uint8Array): TapMatch | undefined {
    const carried = this.#carry.length;
    const match = parseAt(join(this.#carry, bytes.subarray(0, CARRY_BYTES)), 0);
    if (match === undefined) return undefined;
    this.#carry = NOTHING;
    return { ...match, end: match.end - carried };
  }
}

function join(first: Uint8Array, second: Uint8Array): Uint8Array {
  const joined = new Uint8Array(first.length + second.length);
  joined.set(first);
  joined.set(second, first.length);
  return joined;
}

interface FoundMatch extends TapMatch {
  readonly start: number;
}

function firstMatch(buffer: Buffer, needle: Buffer, from: number): FoundMatch | undefined {
  let at = buffer.indexOf(needle, from);
  while (at >= 0) {
    const start = needle[0] === ESC ? at : buffer.lastIndexOf(ESC, at);
    const match = start >= Math.max(from, at - LOOK_BACK) ? parseAt(buffer, start) : undefined;
    if (match !== undefined) return { ...match, start };
    at = buffer.indexOf(needle, at + 1);
  }
  return undefined;
}

function parseAt(bytes: Uint8Array, start: number): TapMatch | undefined {
  const introducer = bytes[start + 1];
  if (introducer === 0x63) return { sequence: { kind: "reset" }, end: start + 2 };
  if (introducer === 0x5d) {
    return parseStatus(bytes, start) ?? parseClipboardQuery(bytes, start) ?? parseColorChange(bytes, start);
  }
  if (introducer !== 0x5b) return undefined;
  const head = Buffer.from(bytes.subarray(start + 2, start + 2 + CSI_BYTES)).toString("latin1");
  const found = /^([>?]?)([0-9;]*)(\$?[@-~])/.exec(head);
  if (found === null) return undefined;
  const [whole, prefix = "", parameters = "", final = ""] = found;
  const sequence = interpretControl(prefix + final, parameters.split(";"));
  return sequence && { sequence, end: start + 2 + whole.length };
}

function interpretControl(shape: string, parameters: string[]): TappedSequence | undefined {
  const [first = "", second = ""] = parameters;
  if ((shape === ">m" || shape === ">n") && (first === "4" || first === "")) {
    return { kind: "modify-other-keys", level: shape === ">m" ? Number(second) : 0 };
  }
  if (shape === "?m" && first === "4") return { kind: "modify-other-keys-query" };
  if (shape === "?n" && first === "6") return { kind: "extended-cursor-query" };
  if (shape === "$p" && first !== "" && parameters.length === 1)
    return { kind: "ansi-mode-query", mode: Number(first) };
  return undefined;
}

function parseStatus(bytes: Uint8Array, start: number): TapMatch | undefined {
  const prefix = "7501;";
  const body = start + 2 + prefix.length;
  if (Buffer.from(bytes.subarray(start + 2, body)).toString("latin1") !== prefix) return undefined;
  for (let at = body; at < bytes.length; at += 1) {
    if (bytes[at] !== BEL && bytes[at] !== ESC) continue;
    const payload = new TextDecoder().decode(bytes.subarray(body, at));
    return { sequence: { kind: "program-status", payload }, end: bytes[at] === BEL ? at + 1 : at };
  }
  return undefined;
}

function parseClipboardQuery(bytes: Uint8Array, start: number): TapMatch | undefined {
  const head = Buffer.from(bytes.subarray(start + 2, start + 2 + CSI_BYTES)).toString("latin1");
  const found = /^52;[^;]*;\?[\x07\x1b]/.exec(head);
  // An ESC belongs to what comes next, as the beginning of ST.
  const length = found === null ? 0 : found[0].length - (found[0].endsWith("\x1b") ? 1 : 0);
  return found === null ? undefined : { sequence: { kind: "clipboard-query" }, end: start + 2 + length };
}

/** OSC 4 and OSC 10 to 19 that set a colour instead of asking for it; what they set is the engine's business. */
function parseColorChange(bytes: Uint8Array, start: number): TapMatch | undefined {
  const head = Buffer.from(bytes.subarray(start + 2, start + 2 + CSI_BYTES)).toString("latin1");
  const found = /^(?:4;[0-9]+|1[0-9]);[^?]/.exec(head);
  return found === null ? undefined : { sequence: { kind: "color-change" }, end: start + 2 + found[0].length };
}
