/** What an unfinished sequence may grow to before it is dropped: room for an OSC 52 copy of 1 MiB in base64, and more. */
export const MAX_PENDING_BYTES = 2 * 1024 * 1024;

const ESC = 0x1b;
const BEL = 0x07;
const CAN = 0x18;
const SUB = 0x1a;
const NOTHING = new Uint8Array(0);

/** A second byte after ESC, and what a viewer's terminal is given in place of the dropped sequence: one that it ignores. */
const STAND_INS: ReadonlyMap<number, string> = new Map([
  [0x5d, "\x1b]99999;"],
  [0x50, "\x1bP~"],
  [0x5f, "\x1b_x"],
  [0x5e, "\x1b^x"],
  [0x58, "\x1bXx"],
  [0x5b, "\x1b[1<"],
]);
const OSC = 0x5d;
const CSI = 0x5b;

/**
 * A program may open a string and never close it. The engine can then neither tell its unfinished bytes nor be read, so past
 * the limit the sequence is cancelled there and its remaining bytes are passed over until it would have ended.
 */
export class OverlongSequence {
  /** At least as many bytes as the engine holds of the unfinished sequence. */
  #unfinished = 0;
  #kind: number | undefined;

  /** True when the sequence may have outgrown the limit. */
  noteFed(count: number, isGround: boolean): boolean {
    this.#unfinished = isGround ? 0 : this.#unfinished + count;
    return this.#unfinished > MAX_PENDING_BYTES;
  }

  /** The engine says how much it really holds; `undefined` when it lost count. */
  isOverlong(held: number | undefined): boolean {
    if (held === undefined || held > MAX_PENDING_BYTES) return true;
    this.#unfinished = held;
    return false;
  }

  /** The sequence that began with ESC and `kind` was cancelled. */
  begin(kind: number): void {
    this.#kind = kind;
    this.#unfinished = 0;
  }

  /** Returns what is left of `bytes` behind the dropped sequence. */
  skip(bytes: Uint8Array): Uint8Array {
    if (this.#kind === undefined) return bytes;
    for (let at = 0; at < bytes.length; at += 1) {
      const byte = bytes[at] ?? 0;
      if (!this.#isEnd(byte)) continue;
      this.#kind = undefined;
      // An ESC begins what comes next, be it ST or another sequence.
      return bytes.subarray(byte === ESC ? at : at + 1);
    }
    return NOTHING;
  }

  /** What a viewer needs so that it ignores the rest of the sequence; undefined when none is being dropped. */
  get standIn(): Uint8Array | undefined {
    return this.#kind === undefined ? undefined : Buffer.from(STAND_INS.get(this.#kind) ?? "", "latin1");
  }

  #isEnd(byte: number): boolean {
    if (byte === ESC || byte === CAN || byte === SUB) return true;
    if (this.#kind === OSC) return byte === BEL;
    return this.#kind === CSI && byte >= 0x40 && byte <= 0x7e;
  }
}
