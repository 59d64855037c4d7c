import type { Signals } from "../context.ts";
import type { LibraryCalls } from "../terminal/libc.ts";

const IN = 0;
/** This program's view of its input, as a path that opens it anew: only so can it be non-blocking for us alone. */
const IN_PATH = "/proc/self/fd/0";
/** A terminal gives at most 4 KB at once; more is for input that is a pipe. */
const BUFFER_BYTES = 65_536;
/** As much as a terminal gives at once; after less than that, what comes next announces itself. */
const FULL_BYTES = 4_095;
/** Read in one turn, so that output and signals get theirs beside a paste. */
const TURN_BYTES = 65_536;
/** The longest that a timer can be. */
const NEVER_MS = 2_147_483_647;
/** Somebody made the descriptor non-blocking: look again after this long. */
const RETRY_MS = 10;

export interface TerminalInputListener {
  onInput(bytes: Uint8Array): void;
  /** The terminal is gone or at its end. */
  onEnd(): void;
}

export interface TerminalInputSource {
  readonly calls: Pick<LibraryCalls, "openAnnounced" | "read" | "close">;
  readonly signals: Pick<Signals, "on">;
}

/**
 * Reads the local terminal, without `process.stdin`, whose set-up takes as long as a whole attach. Where the terminal can be
 * opened anew it is read when a signal says so, in this thread; elsewhere a thread waits in a read, which makes a key a tenth
 * of a millisecond later.
 */
export class TerminalInput {
  readonly #source: TerminalInputSource;
  readonly #listener: TerminalInputListener;
  readonly #buffer = Buffer.allocUnsafe(BUFFER_BYTES);
  #way: "unopened" | "announced" | "thread" | "closed" = "unopened";
  #fd = -1;
  #isScheduled = false;
  #isReading = false;
  #isPaused = true;
  /** A signal that may come keeps no program alive: with the daemon gone, a menu would end with nothing given back. */
  #isAwaited: Timer | undefined;

  constructor(source: TerminalInputSource, listener: TerminalInputListener) {
    this.#source = source;
    this.#listener = listener;
  }

  resume(): void {
    this.#isPaused = false;
    if (this.#way === "unopened") this.#open();
    if (this.#way === "announced") this.#lookLater();
    if (this.#way === "thread" && !this.#isReading) this.#readNext();
  }

  /** No further read is begun. One that waits for a key goes on, and its bytes are still delivered. */
  pause(): void {
    this.#isPaused = true;
  }

  /** Reads no more. */
  close(): void {
    this.pause();
    if (this.#way === "announced") this.#source.calls.close(this.#fd);
    this.#way = "closed";
    clearInterval(this.#isAwaited);
  }

  #open(): void {
    const { calls, signals } = this.#source;
    // Before the first signal and for good: one that nobody expects any more would end this program.
    signals.on("SIGIO", () => this.#look());
    this.#fd = calls.openAnnounced(IN_PATH);
    this.#way = this.#fd === -1 ? "thread" : "announced";
    if (this.#way === "announced") this.#isAwaited = setInterval(() => undefined, NEVER_MS);
  }

  /** Takes all that is there. What comes later announces itself. */
  #look(): void {
    let taken = 0;
    while (!this.#isPaused && this.#way === "announced" && taken < TURN_BYTES) {
      const count = this.#source.calls.read(this.#fd, this.#buffer);
      if (count < 0) return;
      if (count === 0) {
        this.pause();
        this.#listener.onEnd();
        return;
      }
      taken += count;
      this.#deliver(count);
      if (count < FULL_BYTES) return;
    }
    if (taken >= TURN_BYTES) this.#lookLater();
  }

  #lookLater(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#look();
    });
  }

  #readNext(): void {
    this.#isReading = true;
    // Loaded here, since it takes a millisecond that the first picture does not wait for.
    const { read } = process.getBuiltinModule("node:fs");
    read(IN, this.#buffer, 0, BUFFER_BYTES, null, (cause, count) => {
      this.#isReading = false;
      if (cause?.code === "EAGAIN") {
        setTimeout(() => this.#continue(), RETRY_MS);
        return;
      }
      if (cause !== null || count === 0) {
        this.#listener.onEnd();
        return;
      }
      this.#deliver(count);
      this.#continue();
    });
  }

  #continue(): void {
    if (!this.#isPaused && !this.#isReading) this.#readNext();
  }

  /** Copied, since the listener may keep it while the next read is under way. */
  #deliver(count: number): void {
    this.#listener.onInput(Uint8Array.from(this.#buffer.subarray(0, count)));
  }
}
