/**
 * Gives memory back when work has paused. The runtime would do it by a timer that never rests (see WORKER_ENVIRONMENT);
 * this one runs only after work that leaves garbage behind.
 */
export class IdleCollector implements Disposable {
  readonly #collect: () => void;
  #workBytes = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(collect: () => void) {
    this.#collect = collect;
  }

  /** Output passed through, or as much garbage was made in another way. */
  noteWork(bytes: number): void {
    this.#workBytes += bytes;
    if (this.#timer) {
      this.#timer.refresh();
    } else if (this.#workBytes >= WORTH_BYTES) {
      this.#timer = setTimeout(() => this.#run(), QUIET_MS);
    }
  }

  #run(): void {
    this.#timer = undefined;
    this.#workBytes = 0;
    this.#collect();
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }
}

/** A collection takes about 5 ms; this much output takes about as long to read. */
export const WORTH_BYTES = 1_048_576;
/** Long enough not to fall between two screens of the same command. */
const QUIET_MS = 1_500;
