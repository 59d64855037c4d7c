import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readSync } from "node:fs";
import { join } from "node:path";

export interface ContainedFolder {
  readonly path: string;
  /** The only user whose files count. */
  readonly uid: number;
  readonly maxBytes: number;
}

/** A file of the owner's, or why it is not taken. The reason names neither path nor content. */
export type ContainedFile =
  | { readonly text: string; readonly isPrivate: boolean; readonly fault?: undefined }
  | { readonly fault: string };

const WRITABLE_BY_OTHERS = 0o022;
const OPEN_TO_OTHERS = 0o077;

/** Names of the files in the folder that end in `suffix`, without it, sorted. None when there is no such folder. */
export function listContained({ path }: ContainedFolder, suffix: string): readonly string[] {
  try {
    const names = readdirSync(path).filter((name) => name.endsWith(suffix) && !name.startsWith("."));
    return names.map((name) => name.slice(0, -suffix.length)).sort();
  } catch {
    // ENOENT: nobody made it. Anything else is told by each file that is asked for.
    return [];
  }
}

/**
 * Reads one file that lies in the folder itself: no link, nothing but a plain file, owned by `uid`, and neither it nor the
 * folder may be changed by anybody else. Undefined when there is none.
 */
export function readContained(folder: ContainedFolder, name: string): ContainedFile | undefined {
  if (name.includes("/") || name.includes("\0")) {
    return { fault: "is not in its folder" };
  }
  try {
    const fault = faultOfOwner(lstatSync(folder.path), folder.uid);
    return fault === undefined ? readOpened(folder, name) : { fault: `lies in a folder that ${fault}` };
  } catch (cause) {
    return notRead((cause as NodeJS.ErrnoException).code);
  }
}

function readOpened(folder: ContainedFolder, name: string): ContainedFile {
  // Without O_NONBLOCK a FIFO of this name would hold the daemon up.
  const fd = openSync(join(folder.path, name), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) return { fault: "is not a plain file" };
    const fault = faultOfOwner(stat, folder.uid);
    if (fault !== undefined) return { fault };
    const bytes = new Uint8Array(folder.maxBytes + 1);
    let length = 0;
    for (let read = -1; read !== 0 && length < bytes.length; length += read) {
      read = readSync(fd, bytes, length, bytes.length - length, null);
    }
    if (length > folder.maxBytes) return { fault: `has more than ${folder.maxBytes} bytes` };
    const text = decode(bytes.subarray(0, length));
    return text === undefined ? { fault: "is not UTF-8" } : { text, isPrivate: (stat.mode & OPEN_TO_OTHERS) === 0 };
  } finally {
    closeSync(fd);
  }
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // TypeError: not UTF-8.
    return undefined;
  }
}

function faultOfOwner({ uid, mode }: { uid: number; mode: number }, owner: number): string | undefined {
  if (uid !== owner) return "belongs to another user";
  return (mode & WRITABLE_BY_OTHERS) === 0 ? undefined : "can be changed by other users";
}

function notRead(code: string | undefined): ContainedFile | undefined {
  switch (code) {
    case "ENOENT":
      return undefined;
    case "ELOOP":
      return { fault: "is a link" };
    default:
      return { fault: `can't be read (${code ?? "unknown"})` };
  }
}
