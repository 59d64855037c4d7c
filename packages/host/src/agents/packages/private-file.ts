import type { Stats } from "node:fs";
import { closeSync, constants, fstatSync, fsyncSync, openSync, readSync, writeSync } from "node:fs";

/** Why a file of ours cannot be trusted; none of them says which file it was. */
export type FileFault = "missing" | "unsafe" | "modified" | "unreadable";

export interface FileExpectation {
  readonly uid: number;
  readonly maxBytes: number;
  /** Permission bits that it must have exactly. */
  readonly mode: number;
}

/**
 * Reads a file that only this user may have written: a regular file with one name, of this owner, with exactly this mode.
 * It is opened first and judged afterwards, so it can't be exchanged in between.
 */
export function readPrivateFile(path: string, { uid, maxBytes, mode }: FileExpectation): Buffer | FileFault {
  let fd: number;
  try {
    // Without O_NONBLOCK the opening of a FIFO would wait for its writer.
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (cause) {
    return faultOfOpening(cause);
  }
  try {
    const stat = fstatSync(fd);
    if (!isOwnFile(stat, uid) || (stat.mode & 0o7777) !== mode) return "unsafe";
    if (stat.size > maxBytes) return "modified";
    return readAll(fd, stat.size);
  } catch {
    // The disk does not give it.
    return "unreadable";
  } finally {
    closeSync(fd);
  }
}

function isOwnFile(stat: Stats, uid: number): boolean {
  return stat.isFile() && stat.uid === uid && stat.nlink === 1;
}

function faultOfOpening(cause: unknown): FileFault {
  const { code } = cause as NodeJS.ErrnoException;
  if (code === "ENOENT" || code === "ENOTDIR") return "missing";
  // ELOOP: a symbolic link. ENXIO: a socket.
  return code === "ELOOP" || code === "ENXIO" ? "unsafe" : "unreadable";
}

function readAll(fd: number, bytes: number): Buffer | FileFault {
  const content = Buffer.alloc(bytes);
  let filled = 0;
  while (filled < bytes) {
    const count = readSync(fd, content, filled, bytes - filled, null);
    if (count === 0) return "modified";
    filled += count;
  }
  return content;
}

/** Makes a file that was not there, durable when this returns. */
export function writeNewFile(path: string, content: Uint8Array, mode: number): void {
  const fd = openSync(path, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | constants.O_NOFOLLOW, mode);
  try {
    let written = 0;
    while (written < content.length) written += writeSync(fd, content, written);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
