/** The outline of a zstd file (RFC 8878), read without decompressing it: the library would allocate first and ask later. */

export interface ZstdFrame {
  readonly contentBytes: number;
  readonly windowBytes: number;
}

const MAGIC = 0xfd2fb528;
const BLOCK_HEADER_BYTES = 3;
const CHECKSUM_BYTES = 4;
const RESERVED_BLOCK = 3;
const REPEATED_BLOCK = 1;

interface Header extends ZstdFrame {
  /** Where the first block starts. */
  readonly end: number;
}

/** Undefined unless the bytes are exactly one frame that says its size, ends in a checksum and needs no dictionary. */
export function readZstdFrame(bytes: Uint8Array): ZstdFrame | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const header = readHeader(view);
  if (header === undefined) return undefined;
  const end = endOfBlocks(view, header.end);
  return end !== undefined && end + CHECKSUM_BYTES === bytes.length ? header : undefined;
}

function readHeader(view: DataView): Header | undefined {
  if (view.byteLength < 6 || view.getUint32(0, true) !== MAGIC) return undefined;
  const descriptor = view.getUint8(4);
  const hasChecksum = (descriptor & 0x04) !== 0;
  const hasDictionary = (descriptor & 0x03) !== 0;
  const hasUnusedBits = (descriptor & 0x18) !== 0;
  if (!hasChecksum || hasDictionary || hasUnusedBits) return undefined;
  const isSingleSegment = (descriptor & 0x20) !== 0;
  const sizeField = descriptor >> 6;
  // Without this field the size is unknown.
  if (sizeField === 0 && !isSingleSegment) return undefined;
  const windowAt = 5;
  const sizeAt = isSingleSegment ? windowAt : windowAt + 1;
  const sizeBytes = 1 << sizeField;
  if (view.byteLength < sizeAt + sizeBytes) return undefined;
  const contentBytes = readSize(view, sizeAt, sizeBytes);
  const windowBytes = isSingleSegment ? contentBytes : windowOf(view.getUint8(windowAt));
  return { contentBytes, windowBytes, end: sizeAt + sizeBytes };
}

function readSize(view: DataView, at: number, bytes: number): number {
  if (bytes === 1) return view.getUint8(at);
  // A size in two bytes counts from 256.
  if (bytes === 2) return view.getUint16(at, true) + 256;
  return bytes === 4 ? view.getUint32(at, true) : Number(view.getBigUint64(at, true));
}

function windowOf(descriptor: number): number {
  const base = 2 ** (10 + (descriptor >> 3));
  return base + (base / 8) * (descriptor & 0x07);
}

function endOfBlocks(view: DataView, start: number): number | undefined {
  let at = start;
  while (at + BLOCK_HEADER_BYTES <= view.byteLength) {
    const header = view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
    const kind = (header >> 1) & 0x03;
    if (kind === RESERVED_BLOCK) return undefined;
    at += BLOCK_HEADER_BYTES + (kind === REPEATED_BLOCK ? 1 : header >> 3);
    if ((header & 1) === 1) return at;
  }
  return undefined;
}
