/** Bytes of the longest character in UTF-8. */
export const CHARACTER_BYTES = 4;

/** How many bytes at the end are the beginning of a character whose rest has not come: 0 to 3. */
export function unfinishedBytes(bytes: Uint8Array): number {
  for (let count = 1; count < CHARACTER_BYTES && count <= bytes.length; count += 1) {
    const byte = bytes[bytes.length - count] ?? 0;
    if (!isContinuation(byte)) {
      return lengthOf(byte) > count ? count : 0;
    }
  }
  return 0;
}

/** The bytes of the first character, of those up to what breaks it; 0 while its rest has not come. */
export function firstCharacterBytes(bytes: Uint8Array): number {
  const length = lengthOf(bytes[0] ?? 0);
  for (let at = 0; at < length; at += 1) {
    const byte = bytes[at];
    if (byte === undefined) {
      return 0;
    }
    if (at > 0 && !isContinuation(byte)) {
      return at;
    }
  }
  return length;
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}

/** As the first byte announces it; 1 for one that begins no character. */
function lengthOf(first: number): number {
  if (first >= 0xc2 && first <= 0xdf) return 2;
  if (first >= 0xe0 && first <= 0xef) return 3;
  return first >= 0xf0 && first <= 0xf4 ? CHARACTER_BYTES : 1;
}
