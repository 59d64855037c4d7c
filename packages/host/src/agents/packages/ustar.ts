/** The one tar header that a package may hold for a file: USTAR, a regular file, nobody's, from the beginning of time. */

export const BLOCK_BYTES = 512;

export interface FileFacts {
  readonly path: string;
  readonly bytes: number;
  readonly isExecutable: boolean;
}

/** Where each field of a header begins and how many bytes it has, and what ours hold where it is always the same. */
const NAME = { at: 0, bytes: 100 };
const MODE = { at: 100, bytes: 8 };
const SIZE = { at: 124, bytes: 12 };
const CHECKSUM = { at: 148, bytes: 8 };
const CONSTANTS: readonly { readonly at: number; readonly text: string }[] = [
  { at: 108, text: "0000000\0" }, // owner
  { at: 116, text: "0000000\0" }, // group
  { at: 136, text: "00000000000\0" }, // time
  { at: 156, text: "0" }, // a regular file
  { at: 257, text: "ustar\x0000" },
  { at: 329, text: "0000000\0" }, // device
  { at: 337, text: "0000000\0" },
];
const PLAIN = "0000644\0";
const EXECUTABLE = "0000755\0";

export function makeHeader({ path, bytes, isExecutable }: FileFacts): Uint8Array {
  const header = Buffer.alloc(BLOCK_BYTES);
  header.write(path, NAME.at, "latin1");
  header.write(isExecutable ? EXECUTABLE : PLAIN, MODE.at, "latin1");
  header.write(`${bytes.toString(8).padStart(SIZE.bytes - 1, "0")}\0`, SIZE.at, "latin1");
  for (const { at, text } of CONSTANTS) header.write(text, at, "latin1");
  // Its own place counts as spaces.
  header.fill(0x20, CHECKSUM.at, CHECKSUM.at + CHECKSUM.bytes);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, CHECKSUM.at, "latin1");
  return header;
}

/** Undefined unless the header is byte for byte the one that makeHeader writes. */
export function readHeader(block: Buffer): FileFacts | undefined {
  const field = ({ at, bytes }: { at: number; bytes: number }): string => block.toString("latin1", at, at + bytes);
  const [path = ""] = field(NAME).split("\0", 1);
  const size = field(SIZE).slice(0, -1);
  if (!/^[0-7]{11}$/.test(size)) return undefined;
  const facts = { path, bytes: Number.parseInt(size, 8), isExecutable: field(MODE) === EXECUTABLE };
  return block.equals(makeHeader(facts)) ? facts : undefined;
}

/** The zeros that fill a file's last block. */
export function paddingOf(bytes: number): number {
  return (BLOCK_BYTES - (bytes % BLOCK_BYTES)) % BLOCK_BYTES;
}
