/**
 * Runs something once, in the first quiet after the program began to print, or soon where it never pauses: the picture for
 * a viewer takes three times as long from code that has never run, and the first viewer shall not wait for that.
 */
export class Rehearsal implements Disposable {
  readonly #perform: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #firstMs = 0;
  #isOver = false;

  constructor(perform: () => void) {
    this.#perform = perform;
  }

  /** The program printed something. */
  noteOutput(): void {
    if (this.#isOver) {
      return;
    }
    if (!this.#timer) {
      this.#firstMs = performance.now();
      this.#timer = setTimeout(() => this.#run(), QUIET_MS);
    } else if (performance.now() - this.#firstMs < LATEST_MS - QUIET_MS) {
      this.#timer.refresh();
    }
  }

  /** The real thing has come first, or never will. */
  [Symbol.dispose](): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }

  #run(): void {
    this[Symbol.dispose]();
    this.#perform();
  }
}

/** Longer than a program pauses while it starts, shorter than a person needs to look at a new session. */
const QUIET_MS = 150;
/** Somebody may attach to a program that floods the screen as well. */
const LATEST_MS = 250;
