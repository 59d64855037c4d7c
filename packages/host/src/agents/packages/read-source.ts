import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { protocolError } from "@pohunek/protocol/wire";
import type { Anchor } from "./anchor.ts";
import { parseAnchor } from "./anchor.ts";
import { ARCHIVE_LIMITS } from "./archive-limits.ts";
import { CATALOG_LIMITS } from "./catalog.ts";

const MAX_ANCHOR_BYTES = 65_536;

/** The anchor beside the program. Fails with official_trust_unavailable. */
export function readAnchor(path: string): Anchor {
  let bytes: Uint8Array;
  try {
    bytes = readBounded(path, MAX_ANCHOR_BYTES);
  } catch (cause) {
    const message = "the file beside the program that says which packages are official cannot be read";
    throw protocolError("official_trust_unavailable", { message, cause });
  }
  return parseAnchor(bytes);
}

export function readArchiveFile(path: string): Uint8Array {
  return readSource(path, ARCHIVE_LIMITS.compressedBytes);
}

export function readCatalogFile(path: string): Uint8Array {
  return readSource(path, CATALOG_LIMITS.bytes);
}

/** A file of a package that somebody named. */
function readSource(path: string, limit: number): Uint8Array {
  try {
    return readBounded(path, limit);
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? "not a regular file";
    throw protocolError("package_source_unreadable", {
      message: `a file of the package cannot be read (${code})`,
      cause,
    });
  }
}

/** Only a regular file: anything else could keep the daemon waiting. */
function readBounded(path: string, limit: number): Uint8Array {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) throw new Error("not a regular file");
    if (stat.size > limit) throw Object.assign(new Error("too large"), { code: "EFBIG" });
    return readFileSync(fd);
  } finally {
    closeSync(fd);
  }
}
