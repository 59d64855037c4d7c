/** Memory is taken in pieces of this size as output arrives, so a session that printed little stays small. */
export const SEGMENT_BYTES = 65_536;

/**
 * The newest output of a program, addressed by the offset of each byte since its start. It holds at most `capacity` bytes;
 * older ones are gone. Readers keep an offset and nothing else.
 *
 * Writing is in two steps, because the kernel writes straight into the ring: fill `tail()`, then `commit` the count.
 */
export class OutputRing {
  readonly capacity: number;
  #segments: Uint8Array<ArrayBuffer>[] = [];
  /** Offset of the first byte of `#segments[0]`; a multiple of the segment size. */
  #base = 0;
  #end = 0;

  constructor(capacity: number) {
    this.capacity = capacity;
  }

  /** Oldest retained byte. */
  get startOffset(): number {
    return Math.max(this.#base, this.#end - this.capacity);
  }

  /** One behind the newest byte. */
  get endOffset(): number {
    return this.#end;
  }

  /** The whole segment that the next byte belongs to; `tailFill` bytes of it are used. */
  tail(): Uint8Array<ArrayBuffer> {
    const index = (this.#end - this.#base) / SEGMENT_BYTES;
    const last = this.#segments[Math.floor(index)];
    return last ?? this.#addSegment();
  }

  get tailFill(): number {
    return this.#end % SEGMENT_BYTES;
  }

  /** Makes `bytes` bytes of the tail part of the output and returns them; the view is valid until they are evicted. */
  commit(bytes: number): Uint8Array<ArrayBuffer> {
    const from = this.tailFill;
    const view = this.tail().subarray(from, from + bytes);
    this.#end += bytes;
    return view;
  }

  append(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) {
      const tail = this.tail();
      const piece = bytes.subarray(at, at + tail.length - this.tailFill);
      tail.set(piece, this.tailFill);
      this.commit(piece.length);
      at += piece.length;
    }
  }

  /** A view of retained output from `offset`: never longer than `maxBytes`, shorter at the end of a segment. */
  view(offset: number, maxBytes: number): Uint8Array<ArrayBuffer> {
    const segment = this.#segments[Math.floor((offset - this.#base) / SEGMENT_BYTES)];
    const at = offset % SEGMENT_BYTES;
    const bytes = Math.min(maxBytes, SEGMENT_BYTES - at, this.#end - offset);
    return segment && bytes > 0 ? segment.subarray(at, at + bytes) : new Uint8Array(0);
  }

  /** Copies retained output from `offset` into `target` as far as there is any; returns the count. */
  copy(offset: number, target: Uint8Array): number {
    let copied = 0;
    while (copied < target.length) {
      const piece = this.view(offset + copied, target.length - copied);
      if (piece.length === 0) {
        break;
      }
      target.set(piece, copied);
      copied += piece.length;
    }
    return copied;
  }

  #addSegment(): Uint8Array<ArrayBuffer> {
    const first = this.#segments[0];
    // The oldest segment is free once even a full new one leaves `capacity` bytes behind it.
    const isFree = first !== undefined && this.#end - (this.#base + SEGMENT_BYTES) >= this.capacity;
    const segment = isFree ? first : new Uint8Array(SEGMENT_BYTES);
    if (isFree) {
      this.#segments.shift();
      this.#base += SEGMENT_BYTES;
    }
    this.#segments.push(segment);
    return segment;
  }
}
