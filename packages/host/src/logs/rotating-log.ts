import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  ftruncateSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";

export interface RotatingLogOptions {
  readonly path: string;
  /** Size that no file of the family exceeds. */
  readonly fileBytes: number;
  /** Files kept: the current one and `files - 1` rotations named `.1`, `.2`, ... */
  readonly files: number;
  /** Serialises writers of several processes (two generations of one session's worker). */
  readonly lock?: LogLock;
}

/** Runs `body` while no other process writes or rotates the family. */
export interface LogLock {
  run(body: () => void): void;
}

/** Lines kept in memory until the end of the turn; more than this are written at once. */
const PENDING_LIMIT_BYTES = 65_536;

/**
 * An append-only file of JSON lines that never grows beyond its limit: it is rotated before a line would cross it.
 * Lines of one turn are written together. A line that can't be written (a full disk) is counted and dropped whole; the
 * loss is told by one line as soon as writing works again. No failure of the log reaches its caller.
 */
export class RotatingLog implements Disposable {
  readonly #options: RotatingLogOptions;
  #fd: number | undefined;
  #size = 0;
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  #scheduled = false;
  #dropped = 0;

  constructor(options: RotatingLogOptions) {
    this.#options = options;
  }

  /** Lines lost since the last one that could be written. */
  get dropped(): number {
    return this.#dropped;
  }

  append(line: string): void {
    const bytes = Buffer.from(`${line}\n`);
    this.#enqueue(bytes.length > this.#options.fileBytes ? tooLargeLine(bytes.length) : bytes);
    if (this.#pendingBytes > PENDING_LIMIT_BYTES) {
      this.flush();
    } else if (!this.#scheduled) {
      this.#scheduled = true;
      setImmediate(() => this.flush());
    }
  }

  #enqueue(bytes: Buffer): void {
    this.#pending.push(bytes);
    this.#pendingBytes += bytes.length;
  }

  /** Writes what is pending now: before the process ends, and at the end of each turn. */
  flush(): void {
    this.#scheduled = false;
    if (this.#pending.length === 0) {
      return;
    }
    const lines = this.#pending;
    this.#pending = [];
    this.#pendingBytes = 0;
    try {
      if (this.#options.lock) {
        this.#options.lock.run(() => this.#write(lines, true));
      } else {
        this.#write(lines, false);
      }
    } catch {
      // The lock file can't be taken: nothing was written, and the log is the place where that would be told.
      this.#dropped += lines.length;
    }
  }

  #write(lines: readonly Buffer[], isShared: boolean): void {
    if (this.#dropped > 0) {
      if (!this.#writeLine(droppedLine(this.#dropped), isShared)) {
        this.#dropped += lines.length;
        return;
      }
      this.#dropped = 0;
    }
    for (const [index, line] of lines.entries()) {
      if (!this.#writeLine(line, isShared)) {
        this.#dropped = lines.length - index;
        return;
      }
    }
  }

  #writeLine(line: Buffer, isShared: boolean): boolean {
    try {
      const fd = this.#open(isShared);
      if (this.#size > 0 && this.#size + line.length > this.#options.fileBytes) {
        this.#rotate();
        this.#writeWhole(this.#open(false), line);
      } else {
        this.#writeWhole(fd, line);
      }
      return true;
    } catch {
      // ENOSPC, EACCES, EROFS, ...: counted by the caller and told later; the daemon must not stop for its log.
      this.#close();
      return false;
    }
  }

  #writeWhole(fd: number, line: Buffer): void {
    let written = 0;
    try {
      while (written < line.length) {
        written += writeSync(fd, line, written, line.length - written);
      }
    } catch (cause) {
      if (written > 0) {
        ftruncateSync(fd, this.#size);
      }
      throw cause;
    }
    this.#size += line.length;
  }

  /** The open file; reopened when another writer of the family has rotated it away. */
  #open(isShared: boolean): number {
    if (this.#fd !== undefined && isShared) {
      const mine = fstatSync(this.#fd);
      const named = existsSync(this.#options.path) ? statSync(this.#options.path) : undefined;
      if (named?.ino === mine.ino && named.dev === mine.dev) {
        this.#size = mine.size;
      } else {
        this.#close();
      }
    }
    if (this.#fd === undefined) {
      const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW } = constants;
      this.#fd = openSync(this.#options.path, O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW, 0o600);
      this.#size = fstatSync(this.#fd).size;
    }
    return this.#fd;
  }

  #rotate(): void {
    this.#close();
    const { path, files } = this.#options;
    if (files < 2) {
      rmSync(path, { force: true });
      return;
    }
    for (let index = files - 1; index >= 1; index -= 1) {
      const from = index === 1 ? path : `${path}.${index - 1}`;
      if (existsSync(from)) {
        renameSync(from, `${path}.${index}`);
      }
    }
  }

  #close(): void {
    if (this.#fd !== undefined) {
      closeSync(this.#fd);
      this.#fd = undefined;
    }
  }

  [Symbol.dispose](): void {
    this.flush();
    this.#close();
  }
}

function tooLargeLine(bytes: number): Buffer {
  return warningLine("log_event_too_large", { bytes });
}

function droppedLine(lines: number): Buffer {
  return warningLine("log_lines_dropped", { lines });
}

function warningLine(event: string, fields: Record<string, number>): Buffer {
  return Buffer.from(`${JSON.stringify({ ts: new Date().toISOString(), level: "warn", event, ...fields })}\n`);
}
