import { closeSync, constants, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import type { Platform } from "../platform/index.ts";
import type { WorkerJournal } from "../worker-api/journal.ts";

/** The journal of one worker on disk: a reader sees the old content or the new one, also after a power cut. */
export class JournalFile {
  readonly #path: string;
  readonly #platform: Platform;

  constructor(path: string, platform: Platform) {
    this.#path = path;
    this.#platform = platform;
  }

  /** Returns when it is durable. Throws what the file system says (ENOSPC, EROFS, EACCES, ...). */
  write(journal: WorkerJournal): void {
    const folder = dirname(this.#path);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const temporary = `${this.#path}.tmp`;
    try {
      writeDurably(temporary, `${JSON.stringify(journal)}\n`);
      renameSync(temporary, this.#path);
    } catch (cause) {
      rmSync(temporary, { force: true });
      throw cause;
    }
    this.#platform.files.syncDirectory(folder);
  }

  /** The outcome is known to the daemon: nothing needs to find this worker again. */
  remove(): void {
    rmSync(this.#path, { force: true });
  }
}

function writeDurably(path: string, content: string): void {
  const { O_CREAT, O_WRONLY, O_TRUNC, O_NOFOLLOW } = constants;
  const fd = openSync(path, O_CREAT | O_WRONLY | O_TRUNC | O_NOFOLLOW, 0o600);
  try {
    const bytes = Buffer.from(content);
    for (let at = 0; at < bytes.length; ) {
      at += writeSync(fd, bytes, at);
    }
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
