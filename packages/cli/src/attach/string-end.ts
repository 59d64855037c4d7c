const BEL = 0x07;
const ESC = 0x1b;
const CAN = 0x18;
const SUB = 0x1a;

/** Bytes that end an OSC string, and those that end the other strings; ESC that of ESC \\. */
export const OSC_ENDS: readonly number[] = [ESC, BEL, CAN, SUB];
export const STRING_ENDS: readonly number[] = [ESC, CAN, SUB];

/** Most strings are titles and links. A search for a byte that is not there would go through all that follows. */
const INLINE_SCAN_BYTES = 256;

/** Index of the first byte that ends the string, or of the end of the bytes. */
export function endOfString(bytes: Uint8Array, from: number, ends: readonly number[]): number {
  const inlineEnd = Math.min(bytes.length, from + INLINE_SCAN_BYTES);
  for (let at = from; at < inlineEnd; at += 1) {
    const byte = bytes[at] as number;
    if (byte <= ESC && ends.includes(byte)) return at;
  }
  let end = bytes.length;
  for (const byte of ends) {
    const found = bytes.subarray(inlineEnd, end).indexOf(byte);
    if (found !== -1) end = inlineEnd + found;
  }
  return end;
}
