/**
 * Runs something once, in the first quiet after the program began to print: the picture for a viewer takes three times as
 * long from code that has never run, and the first viewer shall not wait for that.
 */
export class Rehearsal implements Disposable {
  readonly #perform: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isOver = false;

  constructor(perform: () => void) {
    this.#perform = perform;
  }

  /** The program printed something. */
  noteOutput(): void {
    if (this.#isOver) {
      return;
    }
    if (this.#timer) {
      this.#timer.refresh();
    } else {
      this.#timer = setTimeout(() => this.#run(), QUIET_MS);
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
