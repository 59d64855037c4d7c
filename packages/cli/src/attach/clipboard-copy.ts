/** `ESC ] 52 ; c ;` and the end, generously. */
const FRAME_BYTES = 32;

/** A copy to the clipboard (OSC 52) on its way, kept until it is whole; of one that is too large nothing is kept. */
export class ClipboardCopy {
  readonly #mostBytes: number;
  #pieces: Uint8Array[] = [];
  #bytes = 0;

  /** `maxBytes` of text, which travels as base64. */
  constructor(maxBytes: number) {
    this.#mostBytes = Math.ceil(maxBytes / 3) * 4 + FRAME_BYTES;
  }

  get isOversized(): boolean {
    return this.#bytes > this.#mostBytes;
  }

  /** The sequence as it came. */
  get pieces(): Uint8Array[] {
    return this.#pieces;
  }

  add(bytes: Uint8Array): void {
    this.#bytes += bytes.length;
    if (this.isOversized) this.#pieces = [];
    else this.#pieces.push(bytes.slice());
  }
}
