import {
  closeSync,
  constants,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import type { OutboxEntry } from "./store.ts";

/** The store's side of the audit log: events wait there, in the transaction of what they tell. */
export interface EventOutbox {
  pendingEvents(limit: number): OutboxEntry[];
  forgetEvents(upToSeq: number): void;
}

const BATCH_LINES = 256;
/** Enough for the last line of a file: lines are flat facts of a few hundred bytes. */
const TAIL_BYTES = 65_536;
const FILE_NAME = /^\d{4}-\d{2}\.jsonl$/;

/**
 * The log of lifecycle events of this host: JSON lines in `events/<year>-<month>.jsonl`, in order, each once, only ever
 * added to. Events come from the store's outbox and leave it when they are on disk here; a crash in between is seen by
 * finding the last line of the log in the outbox.
 */
export class AuditLog {
  readonly #dir: string;
  readonly #outbox: EventOutbox;
  readonly #now: () => Date;
  #lastLine: string | undefined;

  constructor(dir: string, outbox: EventOutbox, now: () => Date = () => new Date()) {
    this.#dir = dir;
    this.#outbox = outbox;
    this.#now = now;
  }

  /** Moves everything that waits in the outbox to the log. Throws when the disk refuses; nothing is lost then. */
  drain(): void {
    for (;;) {
      const batch = this.#outbox.pendingEvents(BATCH_LINES);
      const last = batch.at(-1);
      if (last === undefined) {
        return;
      }
      this.#append(batch);
      this.#outbox.forgetEvents(last.seq);
    }
  }

  #append(batch: readonly OutboxEntry[]): void {
    const lastLine = this.#lastLine ?? this.#readLastLine();
    const lines = batch.map(({ seq, line }) => `{"seq":${seq},${line.slice(1)}\n`);
    const fresh = lines.slice(lines.indexOf(lastLine) + 1);
    const { O_APPEND, O_CREAT, O_RDWR, O_NOFOLLOW } = constants;
    const path = join(this.#dir, `${this.#now().toISOString().slice(0, 7)}.jsonl`);
    const fd = openSync(path, O_APPEND | O_CREAT | O_RDWR | O_NOFOLLOW, 0o600);
    try {
      writeOrUndo(fd, Buffer.from(fresh.join("")));
      fdatasyncSync(fd);
    } finally {
      closeSync(fd);
    }
    this.#lastLine = lines.at(-1) ?? lastLine;
  }

  /** The newest whole line. One cut short by a crash is removed: its event is still in the outbox. */
  #readLastLine(): string {
    const names = readdirSync(this.#dir).filter((name) => FILE_NAME.test(name));
    const newest = names.sort().at(-1);
    if (newest === undefined) {
      return "";
    }
    const fd = openSync(join(this.#dir, newest), constants.O_RDWR | constants.O_NOFOLLOW);
    try {
      const { size } = fstatSync(fd);
      const tail = Buffer.alloc(Math.min(size, TAIL_BYTES));
      readSync(fd, tail, 0, tail.length, size - tail.length);
      const end = tail.lastIndexOf(10) + 1;
      ftruncateSync(fd, size - tail.length + end);
      const start = end === 0 ? 0 : tail.lastIndexOf(10, end - 2) + 1;
      return tail.subarray(start, end).toString("utf8");
    } finally {
      closeSync(fd);
    }
  }
}

function writeOrUndo(fd: number, bytes: Buffer): void {
  const { size } = fstatSync(fd);
  try {
    for (let written = 0; written < bytes.length; ) {
      written += writeSync(fd, bytes, written, bytes.length - written);
    }
  } catch (cause) {
    ftruncateSync(fd, size);
    throw cause;
  }
}
