import type { RowCells } from "../engine/terminal-state.ts";
import type { VtWriter } from "./vt-writer.ts";

export const BLANK = 0x20;
export const DELETE = 0x7f;
/** Width in the high word of a cell. */
const WIDTH_BITS = 0xc00;
const WIDE_BIT = 0x400;
/** Emoji and their like may join what stands before them, and need a look at that. */
const FIRST_JOINING = 0x1_0000;

/** The cells from `from` to before `count`, as far as they look like one with the words `low` and `high`. */
interface Run {
  readonly from: number;
  readonly count: number;
  readonly low: number;
  readonly high: number;
}

/**
 * Prints simple characters that look alike without a question for each of them; returns the column behind. Simple: one
 * character, below the emoji. The first repaint of a worker is interpreted, so this loop calls nothing.
 */
export function copyAlike(writer: VtWriter, { words, stride }: RowCells, { from, count, low, high }: Run): number {
  const style = low >>> 26;
  const look = high & ~WIDTH_BITS;
  const bytes = writer.open((count - from) * 3);
  let at = writer.length;
  let col = from;
  let printed = 0;
  while (col < count) {
    const word = words[col * stride]!;
    if ((word & 3) !== 0 || word >>> 26 !== style) break;
    const code = (word >>> 2) & 0xffffff;
    let width = 1;
    if (stride === 2) {
      const upper = words[col * 2 + 1]!;
      if ((upper & ~WIDTH_BITS) !== look) break;
      if ((upper & WIDTH_BITS) === WIDE_BIT && code !== BLANK) width = 2;
      else if ((upper & WIDTH_BITS) !== 0) break;
    }
    if (code < DELETE) {
      if (code < BLANK) break;
      bytes[at++] = code;
    } else if (code < 0x800) {
      if (code === DELETE) break;
      bytes[at++] = 0xc0 | (code >> 6);
      bytes[at++] = 0x80 | (code & 0x3f);
    } else {
      if (code >= FIRST_JOINING) break;
      bytes[at++] = 0xe0 | (code >> 12);
      bytes[at++] = 0x80 | ((code >> 6) & 0x3f);
      bytes[at++] = 0x80 | (code & 0x3f);
    }
    printed = code;
    col += width;
  }
  if (col > from) writer.close(at, printed);
  return col;
}
