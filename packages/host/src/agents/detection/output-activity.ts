import type { Clock } from "./clock.ts";

/** Output is looked at in windows of this length while something is going on. */
const WINDOW_MS = 100;
/** Busy windows in a row that count as work, and quiet ones that end it. */
const CONFIRMATIONS = 3;
/** Output this soon after input is taken for its echo. */
const ECHO_MS = 500;
/** Drawing everything again after a resize is no work. */
const REDRAW_MS = 700;

/** Tells whether a program keeps printing by itself. Runs a timer only while it prints. */
export class OutputActivity implements Disposable {
  readonly #clock: Clock;
  readonly #onChange: () => void;
  #timer: Disposable | undefined;
  #sawOutput = false;
  #busyWindows = 0;
  #quietWindows = 0;
  #isBusy = false;
  #lastOutputMs = Number.NEGATIVE_INFINITY;
  #ignoredUntilMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, onChange: () => void) {
    this.#clock = clock;
    this.#onChange = onChange;
  }

  get isBusy(): boolean {
    return this.#isBusy;
  }

  /** Nothing was printed in the last window. */
  get isQuiet(): boolean {
    return this.#clock.now() - this.#lastOutputMs >= WINDOW_MS;
  }

  note(afterTypingMs: number): void {
    this.#lastOutputMs = this.#clock.now();
    if (afterTypingMs > ECHO_MS && this.#lastOutputMs >= this.#ignoredUntilMs) {
      this.#sawOutput = true;
      this.#timer ??= this.#clock.after(WINDOW_MS, () => this.#endWindow());
    }
  }

  ignoreForAWhile(): void {
    this.#ignoredUntilMs = this.#clock.now() + REDRAW_MS;
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
  }

  #endWindow(): void {
    this.#busyWindows = this.#sawOutput ? this.#busyWindows + 1 : 0;
    this.#quietWindows = this.#sawOutput ? 0 : this.#quietWindows + 1;
    this.#sawOutput = false;
    const goesOn = this.#quietWindows < CONFIRMATIONS;
    this.#timer = goesOn ? this.#clock.after(WINDOW_MS, () => this.#endWindow()) : undefined;
    const isBusy = goesOn && (this.#isBusy || this.#busyWindows >= CONFIRMATIONS);
    if (isBusy !== this.#isBusy) {
      this.#isBusy = isBusy;
      this.#onChange();
    }
  }
}
