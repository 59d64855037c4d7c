import { MAX_CONTROL_LINE_BYTES } from "./limits.ts";
import { protocolError } from "./protocol-error.ts";

const LINE_FEED = 0x0a;

/**
 * Cuts a byte stream into lines at LF. Lines are views of the pushed chunk where they lie in it whole, so use a line
 * before its chunk's memory is used again. A carriage return stays in the line; JSON takes it for white space.
 */
export class LineDecoder {
  readonly #maxLineBytes: number;
  #parts: Uint8Array[] = [];
  #pendingBytes = 0;

  constructor(maxLineBytes: number = MAX_CONTROL_LINE_BYTES) {
    this.#maxLineBytes = maxLineBytes;
  }

  /** Bytes of the unfinished last line. */
  get pendingBytes(): number {
    return this.#pendingBytes;
  }

  /**
   * Yields the lines that end in this chunk; iterate to the end. Throws `framing` at a line above the ceiling, after the
   * lines before it were yielded. The stream cannot be trusted after that.
   */
  *push(chunk: Uint8Array): Generator<Uint8Array, void, undefined> {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      this.#refuseAbove(this.#pendingBytes + end - start);
      yield this.#complete(chunk.subarray(start, end));
      start = end + 1;
    }
    if (start === chunk.length) return;
    this.#refuseAbove(this.#pendingBytes + chunk.length - start);
    this.#parts.push(chunk.slice(start));
    this.#pendingBytes += chunk.length - start;
  }

  /** Hands over the bytes that follow the last line, for a stream that stops being lines (an attach). */
  takeRest(): Uint8Array {
    return this.#complete(new Uint8Array(0));
  }

  #complete(tail: Uint8Array): Uint8Array {
    if (this.#parts.length === 0) return tail;
    const line = new Uint8Array(this.#pendingBytes + tail.length);
    let offset = 0;
    for (const part of this.#parts) {
      line.set(part, offset);
      offset += part.length;
    }
    line.set(tail, offset);
    this.#parts = [];
    this.#pendingBytes = 0;
    return line;
  }

  #refuseAbove(lineBytes: number): void {
    if (lineBytes <= this.#maxLineBytes) return;
    throw protocolError("framing", { message: `a line is longer than ${this.#maxLineBytes} bytes` });
  }
}
