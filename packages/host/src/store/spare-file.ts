import { closeSync, constants, fdatasyncSync, fstatSync, fsyncSync, openSync, readSync, writeSync } from "node:fs";

/** Room for the ends of some two hundred sessions. */
const SPARE_BYTES = 131_072;
const LINE_FEED = 0x0a;
const CHECK_DIGITS = 8;

/**
 * A file whose blocks are there before they are needed: lines can be written into it while the disk is full, since they
 * replace zeros. (A file system that never writes in place, as btrfs and ZFS, may refuse that, too.) Each line carries a check
 * over itself and all lines before it, so that a torn one, or an old one behind the end, is none.
 */
export class SpareFile implements Disposable {
  readonly #path: string;
  #fd: number | undefined;
  #end = 0;
  #check = 0;
  /** The lines that were found. */
  readonly found: readonly string[];

  constructor(path: string) {
    this.#path = path;
    this.found = this.prepare() ? this.#read() : [];
  }

  /** Sees that the room is there. False while it can't be had; then `append` fails. */
  prepare(): boolean {
    if (this.#fd !== undefined) {
      return true;
    }
    const { O_RDWR, O_CREAT, O_NOFOLLOW } = constants;
    let fd: number | undefined;
    try {
      fd = openSync(this.#path, O_RDWR | O_CREAT | O_NOFOLLOW, 0o600);
      fill(fd, fstatSync(fd).size);
    } catch {
      // ENOSPC, EROFS, EISDIR, ...: there is no spare room, which is how it was before there was any.
      if (fd !== undefined) {
        closeSync(fd);
      }
      return false;
    }
    this.#fd = fd;
    return true;
  }

  /** Adds a line, durably. Throws when there is no room. */
  append(line: string): void {
    const check = Bun.hash.crc32(line, this.#check);
    const bytes = Buffer.from(`${check.toString(16).padStart(CHECK_DIGITS, "0")} ${line}\n`);
    if (this.#fd === undefined || this.#end + bytes.length > SPARE_BYTES) {
      throw Object.assign(new Error("there is no spare room"), { code: "ENOSPC" });
    }
    writeWhole(this.#fd, bytes, this.#end);
    fdatasyncSync(this.#fd);
    this.#end += bytes.length;
    this.#check = check;
  }

  /** Forgets all lines. */
  clear(): void {
    if (this.#fd === undefined || this.#end === 0) {
      return;
    }
    writeWhole(this.#fd, Buffer.alloc(this.#end), 0);
    fdatasyncSync(this.#fd);
    this.#end = 0;
    this.#check = 0;
  }

  #read(): string[] {
    const bytes = Buffer.alloc(SPARE_BYTES);
    const count = this.#fd === undefined ? 0 : readSync(this.#fd, bytes, 0, SPARE_BYTES, 0);
    const lines: string[] = [];
    for (;;) {
      const lineFeed = bytes.subarray(0, count).indexOf(LINE_FEED, this.#end);
      const text = bytes.toString("utf8", this.#end, Math.max(this.#end, lineFeed));
      const line = text.slice(CHECK_DIGITS + 1);
      const check = Bun.hash.crc32(line, this.#check);
      if (lineFeed === -1 || Number.parseInt(text.slice(0, CHECK_DIGITS), 16) !== check) {
        return lines;
      }
      lines.push(line);
      this.#end = lineFeed + 1;
      this.#check = check;
    }
  }

  [Symbol.dispose](): void {
    if (this.#fd !== undefined) {
      closeSync(this.#fd);
      this.#fd = undefined;
    }
  }
}

function fill(fd: number, from: number): void {
  if (from < SPARE_BYTES) {
    writeWhole(fd, Buffer.alloc(SPARE_BYTES - from), from);
    fsyncSync(fd);
  }
}

function writeWhole(fd: number, bytes: Uint8Array, position: number): void {
  for (let at = 0; at < bytes.length; ) {
    at += writeSync(fd, bytes, at, bytes.length - at, position + at);
  }
}
