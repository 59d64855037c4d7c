const FIRST_CAPACITY = 32_768;
const encoder = new TextEncoder();

/** Builds a byte stream for a terminal. */
export class VtWriter {
  #bytes = new Uint8Array(FIRST_CAPACITY);
  #length = 0;
  /** The last character that was written as text. */
  lastCodepoint: number | undefined;

  get length(): number {
    return this.#length;
  }

  finish(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  /** Characters up to U+007F. */
  ascii(text: string): void {
    this.#reserve(text.length);
    for (let at = 0; at < text.length; at += 1) this.#bytes[this.#length + at] = text.charCodeAt(at);
    this.#length += text.length;
  }

  text(text: string): void {
    this.raw(encoder.encode(text));
  }

  raw(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  /** A character to be printed. */
  codepoint(code: number): void {
    this.lastCodepoint = code;
    this.#reserve(4);
    const bytes = this.#bytes;
    if (code < 0x80) {
      bytes[this.#length++] = code;
    } else if (code < 0x800) {
      bytes[this.#length++] = 0xc0 | (code >> 6);
      bytes[this.#length++] = 0x80 | (code & 0x3f);
    } else if (code < 0x1_0000) {
      bytes[this.#length++] = 0xe0 | (code >> 12);
      bytes[this.#length++] = 0x80 | ((code >> 6) & 0x3f);
      bytes[this.#length++] = 0x80 | (code & 0x3f);
    } else {
      bytes[this.#length++] = 0xf0 | (code >> 18);
      bytes[this.#length++] = 0x80 | ((code >> 12) & 0x3f);
      bytes[this.#length++] = 0x80 | ((code >> 6) & 0x3f);
      bytes[this.#length++] = 0x80 | (code & 0x3f);
    }
  }

  /** A control sequence: ESC [ and `rest`. */
  csi(rest: string): void {
    this.ascii("\x1b[");
    this.ascii(rest);
  }

  /** An operating system command, ended by ST. */
  osc(body: string): void {
    this.ascii("\x1b]");
    this.text(body);
    this.ascii("\x1b\\");
  }

  #reserve(count: number): void {
    const needed = this.#length + count;
    if (needed <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(needed, this.#bytes.length * 2));
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
  }
}
