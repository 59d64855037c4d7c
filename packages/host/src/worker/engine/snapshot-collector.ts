import { RECORD_HEADER_BYTES, TAG } from "./snapshot-reader.ts";

const FIRST_CAPACITY = 65_536;
const HEADER_CAPACITY = 4_096;
const ENVELOPE_BYTES = 10;
const PRIMARY = 0;

/** How far a snapshot is wanted: only the terminal's own record, all but the history, or with so many rows of history. */
export type SnapshotExtent = "header" | "screens" | number;

/**
 * Takes the encoder's output and tells it to stop as soon as what is wanted has come. History pages come newest first, so
 * a short history costs little.
 */
export class SnapshotCollector {
  readonly #extent: SnapshotExtent;
  #bytes: Uint8Array;
  #length = 0;
  #parsed = ENVELOPE_BYTES;
  #screen = PRIMARY;
  #inHistory = false;
  #rows = 0;
  #visibleRows = 0;
  #isComplete = false;

  /** `expectedBytes`: what the last one like this came to. */
  constructor(extent: SnapshotExtent, expectedBytes = 0) {
    this.#extent = extent;
    this.#bytes = new Uint8Array(extent === "header" ? HEADER_CAPACITY : Math.max(FIRST_CAPACITY, expectedBytes));
  }

  readonly sink = (piece: Uint8Array): boolean => {
    this.#append(piece);
    this.#scan();
    return !this.#isComplete;
  };

  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  #append(piece: Uint8Array): void {
    const needed = this.#length + piece.length;
    if (needed > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(needed, this.#bytes.length * 2));
      grown.set(this.bytes);
      this.#bytes = grown;
    }
    this.#bytes.set(piece, this.#length);
    this.#length = needed;
  }

  #scan(): void {
    const view = new DataView(this.#bytes.buffer, 0, this.#length);
    while (!this.#isComplete && this.#parsed + RECORD_HEADER_BYTES <= this.#length) {
      const end = this.#parsed + RECORD_HEADER_BYTES + view.getUint32(this.#parsed + 2, true);
      if (end > this.#length) return;
      this.#note(view, view.getUint16(this.#parsed, true));
      this.#parsed = end;
    }
  }

  #note(view: DataView, tag: number): void {
    const payload = this.#parsed + RECORD_HEADER_BYTES;
    if (tag === TAG.terminal) this.#visibleRows = view.getUint16(payload + 2, true);
    if (tag === TAG.screen || tag === TAG.history) this.#screen = view.getUint16(payload, true);
    if (tag === TAG.page && this.#screen === PRIMARY) this.#rows += view.getUint16(payload + 2, true);
    if (tag === TAG.ready) this.#inHistory = true;
    this.#isComplete = this.#hasEnough(tag);
  }

  #hasEnough(tag: number): boolean {
    if (this.#extent === "header") return tag === TAG.terminal;
    if (this.#extent === "screens") return tag === TAG.ready;
    return this.#inHistory && this.#rows >= this.#visibleRows + this.#extent;
  }
}
