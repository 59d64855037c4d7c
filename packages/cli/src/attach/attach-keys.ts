import { PasteFollower } from "@pohunek/protocol/wire";
import type { Key } from "./key-sequence.ts";
import { readSequence } from "./key-sequence.ts";

export type AttachAction = "detach" | "menu";

/** A Ctrl chord that the attach client keeps for itself. */
export interface AttachKey {
  readonly action: AttachAction;
  /** What it is in the plain encoding. */
  readonly byte: number;
  /** Code point of its key in the extended encodings. */
  readonly code: number;
  /** How people call it. */
  readonly label: string;
}

export const DETACH_KEY: AttachKey = { action: "detach", byte: 0x1d, code: 0x5d, label: "Ctrl-]" };
export const MENU_KEY: AttachKey = { action: "menu", byte: 0x1c, code: 0x5c, label: "Ctrl-\\" };

/** What became of some input. */
export interface DecodedInput {
  /** For the session. */
  readonly forward: Uint8Array;
  readonly action: AttachAction | undefined;
  /** What stands behind the action's key; not looked at yet. */
  readonly rest: Uint8Array;
}

const ESC = 0x1b;
const CTRL = 4;
const FIRST_PRINTABLE = 0x20;
/** Looking at more than this one by one takes longer than searching it. */
const SHORT_BYTES = 32;
const EMPTY = new Uint8Array(0);

/**
 * Finds the client's own keys in what the local terminal sends, in every encoding that a program in the session can have
 * switched on, and leaves all else as it is. Text inside a bracketed paste is never a key.
 */
export class AttachKeys {
  readonly #keys: readonly AttachKey[];
  #held: Uint8Array = EMPTY;
  readonly #paste = new PasteFollower();

  constructor(keys: readonly AttachKey[] = [DETACH_KEY, MENU_KEY]) {
    this.#keys = keys;
  }

  /** True while the start of a possible key is kept back; call `flush` when its rest does not come. */
  get isHolding(): boolean {
    return this.#held.length > 0;
  }

  push(chunk: Uint8Array, nowMs: number): DecodedInput {
    this.#paste.noteInput(nowMs);
    if (!this.#paste.isInside && this.#held.length === 0 && isShortText(chunk)) {
      return { forward: chunk, action: undefined, rest: EMPTY };
    }
    const bytes = concat(this.#held, chunk);
    this.#held = EMPTY;
    return this.#decode(bytes);
  }

  /** Gives up waiting for the rest of a sequence: what was held is input like any other. */
  flush(): Uint8Array {
    const held = this.#held;
    this.#held = EMPTY;
    return held;
  }

  #decode(bytes: Uint8Array): DecodedInput {
    const pieces: Uint8Array[] = [];
    let from = 0;
    let at = this.#paste.isInside ? this.#paste.skip(bytes, 0) : 0;
    while (at < bytes.length) {
      at = this.#nextSpecial(bytes, at);
      if (at >= bytes.length) break;
      const byte = bytes[at] as number;
      if (byte !== ESC) {
        pieces.push(bytes.subarray(from, at));
        return { forward: join(pieces), action: this.#byByte(byte)?.action, rest: bytes.subarray(at + 1) };
      }
      const sequence = readSequence(bytes, at);
      if (sequence.type === "incomplete") {
        pieces.push(bytes.subarray(from, at));
        this.#held = bytes.slice(at);
        return { forward: join(pieces), action: undefined, rest: EMPTY };
      }
      const after = at + sequence.length;
      if (sequence.type === "key") {
        const own = this.#byKey(sequence.key);
        if (own !== undefined) {
          pieces.push(bytes.subarray(from, at));
          from = after;
          // The release of our key belongs to its press: neither is the session's, and only the press acts.
          if (sequence.key.event !== "release") {
            return { forward: join(pieces), action: own.action, rest: bytes.subarray(after) };
          }
        }
      }
      at = sequence.type === "paste-start" ? this.#paste.begin(bytes, after) : after;
    }
    pieces.push(bytes.subarray(from));
    return { forward: join(pieces), action: undefined, rest: EMPTY };
  }

  #nextSpecial(bytes: Uint8Array, from: number): number {
    let nearest = bytes.length;
    for (const byte of [ESC, ...this.#keys.map((key) => key.byte)]) {
      const found = bytes.indexOf(byte, from);
      if (found !== -1 && found < nearest) nearest = found;
    }
    return nearest;
  }

  #byByte(byte: number): AttachKey | undefined {
    return this.#keys.find((key) => key.byte === byte);
  }

  #byKey(key: Key): AttachKey | undefined {
    if (key.modifiers !== CTRL) return undefined;
    return this.#keys.find((own) => own.code === key.code || own.code === key.baseCode);
  }
}

/** What a person types most: no key of ours is a printable character. */
function isShortText(bytes: Uint8Array): boolean {
  if (bytes.length > SHORT_BYTES) return false;
  for (let at = 0; at < bytes.length; at += 1) {
    if ((bytes[at] as number) < FIRST_PRINTABLE) return false;
  }
  return true;
}

function concat(first: Uint8Array, second: Uint8Array): Uint8Array {
  if (first.length === 0) return second;
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}

function join(pieces: readonly Uint8Array[]): Uint8Array {
  const filled = pieces.filter((piece) => piece.length > 0);
  return filled.length <= 1 ? (filled[0] ?? EMPTY) : filled.reduce(concat);
}

/** How long the rest of a cut key sequence is waited for: an Escape key pressed alone is delayed by this much. */
export const KEY_HOLD_MS = 25;
