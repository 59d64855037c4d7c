import type { PackageFile } from "./archive.ts";
import { ARCHIVE_LIMITS } from "./archive-limits.ts";
import { digestOf, isDigest } from "./digest.ts";
import { faultOfPaths } from "./package-paths.ts";

/** What an installed root must hold, kept beside the files. The registry keeps the digest of this file. */
export interface RootManifest {
  readonly schema: 1;
  /** Of the archive. */
  readonly digest: string;
  readonly files: readonly RootFile[];
}

export interface RootFile {
  readonly path: string;
  readonly bytes: number;
  readonly digest: string;
  readonly executable: boolean;
}

/** The same for the same files, byte by byte. */
export function encodeRootManifest(digest: string, files: readonly PackageFile[]): Uint8Array {
  const rows = files.map(
    ({ path, content, isExecutable }): RootFile => ({
      path,
      bytes: content.length,
      digest: digestOf(content),
      executable: isExecutable,
    }),
  );
  const manifest: RootManifest = { schema: 1, digest, files: rows };
  return Buffer.from(`${JSON.stringify(manifest, undefined, 1)}\n`);
}

/** Undefined when the bytes are not what encodeRootManifest writes. */
export function decodeRootManifest(bytes: Uint8Array): RootManifest | undefined {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    // Not JSON, or not text: no manifest of ours.
    return undefined;
  }
  const manifest = value as RootManifest | null;
  if (manifest?.schema !== 1 || !isDigest(manifest.digest) || !Array.isArray(manifest.files)) return undefined;
  if (manifest.files.length > ARCHIVE_LIMITS.files || !manifest.files.every(isRootFile)) return undefined;
  return faultOfPaths(manifest.files.map(({ path }) => path)) === undefined ? manifest : undefined;
}

function isRootFile(value: unknown): value is RootFile {
  const file = value as RootFile | null;
  return (
    typeof file?.path === "string" &&
    Number.isSafeInteger(file.bytes) &&
    file.bytes >= 0 &&
    file.bytes <= ARCHIVE_LIMITS.fileBytes &&
    isDigest(file.digest) &&
    typeof file.executable === "boolean"
  );
}
