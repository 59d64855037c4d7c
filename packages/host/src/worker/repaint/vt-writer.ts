import { osc } from "./osc.ts";

const FIRST_CAPACITY = 32_768;

/** Builds a byte stream for a terminal. */
export class VtWriter {
  #bytes = Buffer.allocUnsafe(FIRST_CAPACITY);
  #capacity = FIRST_CAPACITY;
  /** Bytes written so far. */
  length = 0;
  /** The last character that was written as text. */
  lastCodepoint: number | undefined;

  finish(): Uint8Array {
    return this.#bytes.subarray(0, this.length);
  }

  /** Characters up to U+007F. */
  ascii(text: string): void {
    this.#reserve(text.length);
    this.length += this.#bytes.write(text, this.length, "latin1");
  }

  text(text: string): void {
    this.#reserve(text.length * 3);
    this.length += this.#bytes.write(text, this.length, "utf8");
  }

  raw(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.length);
    this.length += bytes.length;
  }

  /** Characters of ASCII to be printed, at least one. */
  plain(bytes: Uint8Array): void {
    this.raw(bytes);
    this.lastCodepoint = bytes[bytes.length - 1];
  }

  /** The buffer with room for `count` more bytes from `length` on; tell `close` what was written there. */
  open(count: number): Uint8Array {
    this.#reserve(count);
    return this.#bytes;
  }

  /** Characters were written by way of `open`: up to `length`, `lastCodepoint` as the last one. */
  close(length: number, lastCodepoint: number): void {
    this.length = length;
    this.lastCodepoint = lastCodepoint;
  }

  /** A character to be printed. */
  codepoint(code: number): void {
    this.lastCodepoint = code;
    this.#reserve(4);
    const bytes = this.#bytes;
    if (code < 0x80) {
      bytes[this.length++] = code;
    } else if (code < 0x800) {
      bytes[this.length++] = 0xc0 | (code >> 6);
      bytes[this.length++] = 0x80 | (code & 0x3f);
    } else if (code < 0x1_0000) {
      bytes[this.length++] = 0xe0 | (code >> 12);
      bytes[this.length++] = 0x80 | ((code >> 6) & 0x3f);
      bytes[this.length++] = 0x80 | (code & 0x3f);
    } else {
      bytes[this.length++] = 0xf0 | (code >> 18);
      bytes[this.length++] = 0x80 | ((code >> 12) & 0x3f);
      bytes[this.length++] = 0x80 | ((code >> 6) & 0x3f);
      bytes[this.length++] = 0x80 | (code & 0x3f);
    }
  }

  /** A control sequence: ESC [ and `rest`. */
  csi(rest: string): void {
    this.ascii(`\x1b[${rest}`);
  }

  osc(body: string): void {
    this.text(osc(body));
  }

  #reserve(count: number): void {
    if (this.length + count > this.#capacity) this.#grow(this.length + count);
  }

  #grow(needed: number): void {
    const capacity = Math.max(needed, this.#capacity * 2);
    const grown = Buffer.allocUnsafe(capacity);
    grown.set(this.#bytes.subarray(0, this.length));
    this.#bytes = grown;
    this.#capacity = capacity;
  }
}
