import { read } from "node:fs";
import type { PtyCalls, PtyPair, PtyReader } from "../platform/index.ts";
import { WOULD_BLOCK } from "../platform/index.ts";
import type { OutputRing } from "./output-ring.ts";

export interface PtyReaderOptions {
  readonly pty: PtyCalls;
  readonly pair: PtyPair;
  readonly ring: OutputRing;
  /** New output, already in the ring. */
  readonly onOutput: (bytes: Uint8Array) => void;
  /** Everything the program wrote has been announced. Called once. */
  readonly onEnd: () => void;
}

/** After the program's exit no more than this is read: what is left then comes from others that hold the terminal. */
const LAST_OUTPUT_BYTES = 1_048_576;

/**
 * Moves output from a PTY into the ring. One read waits in a thread; when it returns, what came meanwhile is read at once,
 * so a flood costs one thread hop per ring segment. Not reading is the back-pressure that the program sees.
 */
export class PtyOutputReader {
  readonly #options: PtyReaderOptions;
  readonly #now: PtyReader;
  #isPaused = false;
  #isWaiting = false;
  #isScheduled = false;
  #phase: "live" | "draining" | "ended" = "live";
  #marker: Buffer | undefined;

  constructor(options: PtyReaderOptions) {
    this.#options = options;
    this.#now = options.pty.openReader(options.pair.master);
  }

  start(): void {
    this.#waitForOutput();
  }

  get hasEnded(): boolean {
    return this.#phase === "ended";
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    if (this.#isPaused) {
      this.#isPaused = false;
      this.#continue();
    }
  }

  /**
   * The program has ended. What it wrote before is still in the kernel, or in the hands of the waiting thread: read until
   * nothing is left, whether paused or not, since it is bounded by the kernel's buffer.
   */
  drain(): void {
    if (this.#phase !== "live") {
      return;
    }
    this.#phase = "draining";
    if (!this.#isWaiting) {
      this.#finish(Buffer.alloc(0));
    } else if (!this.#options.pty.isReadable(this.#options.pair.master)) {
      this.#wakeReader();
    }
  }

  /** Nothing to read: the thread sleeps in its read, or has something that it has not handed over yet. */
  #wakeReader(): void {
    const { pty, pair } = this.#options;
    const marker = Buffer.from(`\0pohunek-end-${crypto.randomUUID().toUpperCase()}`);
    // Something that we print ourselves wakes it, and tells the program's last byte from what others print after it.
    this.#marker = marker;
    if (!pty.printNow(pair.slave, marker)) {
      this.#finish(Buffer.alloc(0));
    }
  }

  #waitForOutput(): void {
    const { ring, pair } = this.#options;
    const tail = ring.tail();
    const from = ring.tailFill;
    this.#isWaiting = true;
    read(pair.master, tail, from, tail.length - from, null, (error, bytes) => {
      this.#isWaiting = false;
      this.#takeRead(error, tail.subarray(from, from + bytes));
    });
  }

  #takeRead(error: NodeJS.ErrnoException | null, bytes: Uint8Array): void {
    if (this.#phase === "ended") {
      return;
    }
    if (this.#phase === "draining") {
      this.#finish(Buffer.from(bytes));
    } else if (error?.code === "EAGAIN" || error?.code === "EINTR") {
      this.#continue();
    } else if (error || bytes.length === 0) {
      // EIO: we hold the slave, so this can only mean that the terminal was hung up.
      this.#end();
    } else {
      this.#takeWithMore(bytes.length);
      this.#continue();
    }
  }

  /** Announces `bytes` bytes that are in the tail already, and what has come since. False: nothing of either. */
  #takeWithMore(bytes: number): boolean {
    const { ring, onOutput } = this.#options;
    const tail = ring.tail();
    const from = ring.tailFill;
    const isFull = from + bytes === tail.length;
    const more = isFull ? 0 : Math.max(0, this.#now.readNow(tail, from + bytes));
    if (bytes + more > 0) {
      onOutput(ring.commit(bytes + more));
    }
    return bytes + more > 0;
  }

  /**
   * Goes on reading, unless paused, in a later turn so that others get theirs. In a flood the next output is there by
   * then, and no thread is needed to wait for it.
   */
  #continue(): void {
    if (this.#canRead() && !this.#isScheduled) {
      this.#isScheduled = true;
      setImmediate(() => {
        this.#isScheduled = false;
        this.#readOn();
      });
    }
  }

  #readOn(): void {
    if (!this.#canRead()) {
      return;
    }
    if (this.#takeWithMore(0)) {
      this.#continue();
    } else {
      this.#waitForOutput();
    }
  }

  #canRead(): boolean {
    return !this.#isPaused && !this.#isWaiting && this.#phase === "live";
  }

  /** Reads the rest into memory of its own, because it may hold the marker, and announces it up to there. */
  #finish(first: Buffer): void {
    const pieces: Uint8Array[] = [first];
    const piece = new Uint8Array(65_536);
    for (let total = first.length; total < LAST_OUTPUT_BYTES; ) {
      const bytes = this.#now.readNow(piece, 0);
      if (bytes === WOULD_BLOCK || bytes === 0) {
        break;
      }
      pieces.push(piece.slice(0, bytes));
      total += bytes;
    }
    const rest = Buffer.concat(pieces);
    const markerAt = this.#marker ? rest.indexOf(this.#marker) : -1;
    this.#announce(markerAt < 0 ? rest : rest.subarray(0, markerAt));
    this.#end();
  }

  #announce(rest: Uint8Array): void {
    const { ring, onOutput } = this.#options;
    for (let at = 0; at < rest.length; ) {
      const bytes = Math.min(rest.length - at, ring.tail().length - ring.tailFill);
      ring.tail().set(rest.subarray(at, at + bytes), ring.tailFill);
      onOutput(ring.commit(bytes));
      at += bytes;
    }
  }

  #end(): void {
    if (this.#phase !== "ended") {
      this.#phase = "ended";
      this.#options.onEnd();
    }
  }
}
