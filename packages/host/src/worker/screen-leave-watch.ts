import type { OutputRing } from "./output-ring.ts";

/** Ways out of the alternate screen: its modes reset or restored (alone or among others), or the whole terminal reset. */
const LEAVES = /(?:\x1b\[|\xc2\x9b)\?(?:\d*;)*(?:47|1047|1049)(?:;\d*)*[lr]|\x1bc/;
/** Longest sequence that is found when it was cut; programs write seven or eight bytes. */
const TAIL_BYTES = 64;
const PIECE_BYTES = 65_536;

/**
 * Looks for the moment at which a program may have left its alternate screen. The state after some output alone does not
 * tell: one program can leave and the next one enter in the same read.
 */
export class ScreenLeaveWatch {
  readonly #ring: OutputRing;
  #from: number;

  constructor(ring: OutputRing) {
    this.#ring = ring;
    this.#from = ring.endOffset;
  }

  /** Whether there was such a sequence in the output since the last look. May be wrong to say yes, never to say no. */
  look(): boolean {
    const end = this.#ring.endOffset;
    let text = "";
    for (let at = Math.max(this.#from, this.#ring.startOffset); at < end; ) {
      const piece = this.#ring.view(at, PIECE_BYTES);
      text = text.slice(-TAIL_BYTES) + Buffer.from(piece).toString("latin1");
      at += piece.length;
      if (LEAVES.test(text)) {
        this.#from = end;
        return true;
      }
    }
    this.#from = Math.max(this.#from, end - TAIL_BYTES);
    return false;
  }
}
