import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isProtocolError, protocolError } from "@pohunek/protocol/wire";
import type { PackageFile } from "./archive.ts";
import { packArchive } from "./archive.ts";
import { ARCHIVE_LIMITS } from "./archive-limits.ts";

/** Directories deeper than this are somebody's project, not a package. */
const MAX_DEPTH = 8;

/**
 * Packs a working folder as it is now. Names that begin with a dot stay behind: version control and editors keep theirs so.
 * Fails with package_source_unreadable for what is no plain file or folder.
 */
export async function packFolder(folder: string): Promise<Uint8Array> {
  return packArchive(readFolder(folder));
}

function readFolder(folder: string): PackageFile[] {
  const files: PackageFile[] = [];
  const visit = (path: string, depth: number): void => {
    if (depth > MAX_DEPTH) throw unreadable("has folders that are too deep");
    for (const name of readdirSync(join(folder, path))) {
      if (name.startsWith(".")) continue;
      const below = path === "" ? name : `${path}/${name}`;
      const stat = lstatSync(join(folder, below));
      if (stat.isDirectory()) visit(below, depth + 1);
      else if (!stat.isFile()) throw unreadable("holds something that is neither a file nor a folder");
      else if (stat.size > ARCHIVE_LIMITS.fileBytes) throw unreadable("holds a file that is too large");
      else if (files.length >= ARCHIVE_LIMITS.files) throw unreadable("holds too many files");
      else
        files.push({
          path: below,
          content: readFileSync(join(folder, below)),
          isExecutable: (stat.mode & 0o100) !== 0,
        });
    }
  };
  try {
    visit("", 0);
  } catch (cause) {
    if (isProtocolError(cause)) throw cause;
    const code = (cause as NodeJS.ErrnoException).code ?? "unknown";
    throw protocolError("package_source_unreadable", { message: `the folder cannot be read (${code})`, cause });
  }
  return files;
}

function unreadable(what: string): Error {
  return protocolError("package_source_unreadable", { message: `the folder ${what}` });
}
