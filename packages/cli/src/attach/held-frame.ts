/** As long as terminals themselves wait that know of the danger, and longer than any program draws. */
const MOST_HELD_MS = 1_000;

/**
 * A program may hold the picture while it draws (mode 2026), and may forget to let go. Terminals differ in whether they notice,
 * so it is let go for them.
 */
export class HeldFrame implements Disposable {
  readonly #release: () => void;
  #timer: Timer | undefined;

  /** `release` is called when a frame has been held for too long; again later if it still is after that. */
  constructor(release: () => void) {
    this.#release = release;
  }

  /** Call after any output. Holding a frame that is held already makes it no longer. */
  note(isHeld: boolean): void {
    if (!isHeld) {
      if (this.#timer !== undefined) this[Symbol.dispose]();
      return;
    }
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#release();
    }, MOST_HELD_MS);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
