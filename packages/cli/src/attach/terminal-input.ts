const IN = 0;
/** A terminal gives at most 4 KB at once; more is for input that is a pipe. */
const BUFFER_BYTES = 65_536;
/** Somebody made the descriptor non-blocking: look again after this long. */
const RETRY_MS = 10;

export interface TerminalInputListener {
  onInput(bytes: Uint8Array): void;
  /** The terminal is gone or at its end. */
  onEnd(): void;
}

/** Reads the local terminal, without `process.stdin`, whose set-up takes as long as a whole attach. */
export class TerminalInput {
  readonly #listener: TerminalInputListener;
  readonly #buffer = Buffer.allocUnsafe(BUFFER_BYTES);
  #isReading = false;
  #isPaused = true;

  constructor(listener: TerminalInputListener) {
    this.#listener = listener;
  }

  resume(): void {
    this.#isPaused = false;
    if (!this.#isReading) this.#readNext();
  }

  /** No further read is begun. One that waits for a key goes on, and its bytes are still delivered. */
  pause(): void {
    this.#isPaused = true;
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
      // Copied, since the listener may keep it while the next read is under way.
      this.#listener.onInput(Uint8Array.from(this.#buffer.subarray(0, count)));
      this.#continue();
    });
  }

  #continue(): void {
    if (!this.#isPaused && !this.#isReading) this.#readNext();
  }
}
