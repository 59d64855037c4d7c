import { randomBytes } from "node:crypto";
import { closeSync, fchmodSync, fsyncSync, openSync, renameSync, rmSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { protocolError } from "@pohunek/protocol/wire";
import type { PackagePin } from "./profile.ts";
import type { ProfileFile } from "./profile-file.ts";

export interface BindOptions {
  readonly folder: string;
  readonly file: ProfileFile;
  readonly pin: PackagePin;
  readonly syncDirectory: (path: string) => void;
}

/**
 * Writes into a profile which package serves its base. A reader sees the file before or after that, also after a crash; a
 * file that a crash leaves beside it has a name that is no profile's.
 */
export function writePin({ folder, file, pin, syncDirectory }: BindOptions): void {
  const path = join(folder, `${file.profile.name}.toml`);
  const temporary = join(folder, `.${file.profile.name}.${randomBytes(8).toString("hex")}`);
  try {
    const mode = statSync(path).mode & 0o777;
    writeDurably(temporary, { text: file.textWith(pin), mode });
    renameSync(temporary, path);
  } catch (cause) {
    rmSync(temporary, { force: true });
    const { code = "unknown" } = cause as NodeJS.ErrnoException;
    throw protocolError("io_error", { message: `the profile can't be written (${code})`, cause });
  }
  syncDirectory(folder);
}

function writeDurably(path: string, { text, mode }: { text: string; mode: number }): void {
  const fd = openSync(path, "wx", 0o600);
  try {
    fchmodSync(fd, mode);
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
