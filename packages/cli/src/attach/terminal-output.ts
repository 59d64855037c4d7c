import type { LibraryCalls } from "../terminal/libc.ts";

const OUT = 1;
/** This program's view of its output, as a path that opens it anew: only so can it be non-blocking for us alone. */
const OUT_PATH = "/proc/self/fd/1";
/** Up to this size a chunk is written at once: an echoed key, or the first picture, must not wait for a thread. */
const SMALL_BYTES = 32_768;
/** Above this much waiting output the session's stream is paused. Two of its largest chunks, so that reading and writing overlap. */
const HIGH_WATER_BYTES = 524_288;
/** Somebody made the descriptor non-blocking, and it is full: look again after this long. */
const RETRY_MS = 5;

export interface TerminalOutputListener {
  /** Too much is waiting: stop bringing more. */
  onFull(): void;
  /** There is room again. */
  onRoom(): void;
  /** The terminal is gone. */
  onGone(): void;
}

/**
 * Writes to the local terminal in order, without ever blocking the program: a terminal that takes nothing (stopped, slow
 * line) must not keep the detach key from working.
 */
export class TerminalOutput implements Disposable {
  readonly #listener: TerminalOutputListener;
  readonly #calls: LibraryCalls;
  /** -1 where the system has no such path or refuses it; then every write takes the way through a thread. */
  readonly #directFd: number;
  readonly #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #isWriting = false;
  #isFull = false;
  #isGone = false;
  #onEmpty: (() => void) | undefined;

  constructor(calls: LibraryCalls, listener: TerminalOutputListener) {
    this.#calls = calls;
    this.#listener = listener;
    this.#directFd = calls.openForWriting(OUT_PATH);
  }

  write(bytes: Uint8Array): void {
    if (bytes.length === 0 || this.#isGone) return;
    const rest = this.#isWriting || bytes.length > SMALL_BYTES ? bytes : this.#writeDirect(bytes);
    if (rest.length === 0) return;
    this.#waiting.push(rest);
    this.#waitingBytes += rest.length;
    if (!this.#isFull && this.#waitingBytes >= HIGH_WATER_BYTES) {
      this.#isFull = true;
      this.#listener.onFull();
    }
    if (!this.#isWriting) this.#writeNext();
  }

  /** Resolves when all has been written or the terminal is gone, at the latest after `timeoutMs`. */
  async flush(timeoutMs: number): Promise<void> {
    if (!this.#isWriting) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, timeoutMs);
      this.#onEmpty = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  [Symbol.dispose](): void {
    if (this.#directFd !== -1) this.#calls.close(this.#directFd);
  }

  /** Writes what the terminal takes now; returns what it did not. Why it did not, the slow way finds out. */
  #writeDirect(bytes: Uint8Array): Uint8Array {
    if (this.#directFd === -1) return bytes;
    return bytes.subarray(Math.max(0, this.#calls.write(this.#directFd, bytes, bytes.length)));
  }

  #writeNext(): void {
    const bytes = this.#waiting.shift();
    if (bytes === undefined || this.#isGone) {
      this.#isWriting = false;
      this.#onEmpty?.();
      return;
    }
    this.#isWriting = true;
    // On the blocking descriptor, in a thread of its own: it waits for the terminal there. `node:fs` takes a millisecond
    // to load, which the first picture does not wait for.
    const { write } = process.getBuiltinModule("node:fs");
    write(OUT, bytes, 0, bytes.length, null, (cause, count) => {
      const isBusy = cause?.code === "EAGAIN";
      if (cause !== null && !isBusy) this.#lose();
      this.#account(bytes, cause === null ? count : 0);
      if (isBusy) setTimeout(() => this.#writeNext(), RETRY_MS);
      else this.#writeNext();
    });
  }

  #account(bytes: Uint8Array, written: number): void {
    if (written < bytes.length) this.#waiting.unshift(bytes.subarray(written));
    this.#waitingBytes -= written;
    if (!this.#isFull || this.#waitingBytes >= HIGH_WATER_BYTES) return;
    this.#isFull = false;
    this.#listener.onRoom();
  }

  #lose(): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#listener.onGone();
  }
}
