import type { ProtocolError } from "@pohunek/protocol/wire";
import { protocolError } from "@pohunek/protocol/wire";
import { ARCHIVE_LIMITS } from "./archive-limits.ts";
import { faultOfPaths } from "./package-paths.ts";
import { BLOCK_BYTES, makeHeader, paddingOf, readHeader } from "./ustar.ts";
import { readZstdFrame } from "./zstd-frame.ts";

/** One file of a package. */
export interface PackageFile {
  readonly path: string;
  readonly content: Uint8Array;
  readonly isExecutable: boolean;
}

/** Two empty blocks. */
const END = new Uint8Array(2 * BLOCK_BYTES);
const COMPRESSION_LEVEL = 19;

/**
 * Makes the one archive of these files, whatever their order: the same files give the same bytes. Fails with
 * package_archive_invalid when a limit does not allow them.
 */
export async function packArchive(files: readonly PackageFile[]): Promise<Uint8Array> {
  const sorted = files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  refuseFiles(sorted.map(({ path, content }) => ({ path, bytes: content.length })));
  const tar = Buffer.concat([
    ...sorted.flatMap(({ path, content, isExecutable }) => [
      makeHeader({ path, bytes: content.length, isExecutable }),
      content,
      new Uint8Array(paddingOf(content.length)),
    ]),
    END,
  ]);
  // Only who makes packages needs it, and a daemon should not load it for that.
  const { constants, zstdCompressSync } = await import("node:zlib");
  const params = {
    [constants.ZSTD_c_compressionLevel]: COMPRESSION_LEVEL,
    [constants.ZSTD_c_checksumFlag]: 1,
    [constants.ZSTD_c_windowLog]: Math.log2(ARCHIVE_LIMITS.windowBytes),
  };
  const archive = zstdCompressSync(tar, { params, pledgedSrcSize: tar.length });
  refuseFrame(archive);
  return archive;
}

/** Reads an archive into memory. Fails with package_archive_invalid, which says what is wrong and repeats nothing of it. */
export function unpackArchive(archive: Uint8Array): PackageFile[] {
  refuseFrame(archive);
  const files = readTar(decompress(archive));
  refuseFiles(files.map(({ path, content }) => ({ path, bytes: content.length })));
  return files;
}

function decompress(archive: Uint8Array): Buffer {
  try {
    return Bun.zstdDecompressSync(archive);
  } catch (cause) {
    throw invalid("cannot be decompressed", cause);
  }
}

/** Before anything is decompressed: one frame, and no more than the limits allow. */
function refuseFrame(archive: Uint8Array): void {
  if (archive.length > ARCHIVE_LIMITS.compressedBytes) throw invalid("is too large");
  const frame = readZstdFrame(archive);
  if (frame === undefined) throw invalid("is not exactly one zstd frame with its size and a checksum");
  const { contentBytes, windowBytes } = frame;
  if (windowBytes > ARCHIVE_LIMITS.windowBytes) throw invalid("needs too large a window");
  if (contentBytes > ARCHIVE_LIMITS.tarBytes) throw invalid("is too large when it is unpacked");
  if (contentBytes > archive.length * ARCHIVE_LIMITS.ratio) throw invalid("is compressed too much");
}

function readTar(tar: Buffer): PackageFile[] {
  const files: PackageFile[] = [];
  let at = 0;
  while (at + END.length < tar.length) {
    const header = readHeader(tar.subarray(at, at + BLOCK_BYTES));
    if (header === undefined) throw invalid("holds a header that is not in the one allowed form");
    if (files.length >= ARCHIVE_LIMITS.files) throw invalid("holds too many files");
    if (header.bytes > ARCHIVE_LIMITS.fileBytes) throw invalid("holds a file that is too large");
    const end = at + BLOCK_BYTES + header.bytes;
    const next = end + paddingOf(header.bytes);
    if (next > tar.length || tar.subarray(end, next).some((byte) => byte !== 0)) throw invalid("is cut off");
    const { path, isExecutable } = header;
    files.push({ path, content: tar.subarray(at + BLOCK_BYTES, end), isExecutable });
    at = next;
  }
  if (at + END.length !== tar.length || !tar.subarray(at).equals(END))
    throw invalid("does not end in two empty blocks");
  return files;
}

function refuseFiles(files: readonly { readonly path: string; readonly bytes: number }[]): void {
  if (files.length === 0) throw invalid("is empty");
  if (files.length > ARCHIVE_LIMITS.files) throw invalid("holds too many files");
  if (files.some(({ bytes }) => bytes > ARCHIVE_LIMITS.fileBytes)) throw invalid("holds a file that is too large");
  const fault = faultOfPaths(files.map(({ path }) => path));
  if (fault !== undefined) throw invalid(fault);
}

function invalid(what: string, cause?: unknown): ProtocolError {
  return protocolError("package_archive_invalid", { message: `the archive ${what}`, cause });
}
