import { encodeUtf8 } from "./text.ts";

/** What a terminal in mode 2004 puts before and behind pasted text. */
export const PASTE_START: Readonly<Uint8Array> = encodeUtf8("\u001b[200~");
export const PASTE_END: Readonly<Uint8Array> = encodeUtf8("\u001b[201~");
const ESC = 0x1b;
/** A paste that pauses this long has lost its end mark: what comes then is typed. */
const STALL_MS = 1_000;

/**
 * Follows a paste to its end mark, which may be cut anywhere. Clients and hosts look at the same input with it, for keys of
 * the one and for terminal answers of the other: what is pasted is neither, and both must agree on where it ends.
 */
export class PasteFollower {
  #isInside = false;
  #markBytes = 0;
  #lastMs = 0;

  get isInside(): boolean {
    return this.#isInside;
  }

  /** Bytes at the end of what was passed over that are the beginning of an end mark. */
  get markBytes(): number {
    return this.#markBytes;
  }

  /** Input has come at this time. Ends a paste that has stalled. */
  noteInput(nowMs: number): void {
    if (nowMs - this.#lastMs > STALL_MS) this.#isInside = false;
    this.#lastMs = nowMs;
  }

  /** The start mark ends at `from`. Returns what `skip` does. */
  begin(bytes: Uint8Array, from: number): number {
    this.#isInside = true;
    this.#markBytes = 0;
    return this.skip(bytes, from);
  }

  /** Index behind the end mark, or the end of the bytes while it has not come. */
  skip(bytes: Uint8Array, from: number): number {
    let at = from;
    while (at < bytes.length) {
      if (this.#markBytes === 0) {
        const start = bytes.indexOf(ESC, at);
        if (start === -1) return bytes.length;
        at = start;
      } else if (bytes[at] !== PASTE_END[this.#markBytes]) {
        // Only an ESC begins the mark, and none is in the middle of it.
        this.#markBytes = 0;
        continue;
      }
      at += 1;
      this.#markBytes += 1;
      if (this.#markBytes === PASTE_END.length) {
        this.#isInside = false;
        this.#markBytes = 0;
        return at;
      }
    }
    return bytes.length;
  }
}
