import type { Clock } from "./clock.ts";

/** An agent that shows nothing for so long after a prompt has not taken it. The slowest one measured needs it after its start. */
const MOST_MS = 10_000;
/** Less than this may be the echo of the prompt alone. */
const LEAST_MS = 600;
/** An answer that came and went between two looks leaves a quiet screen. */
const QUIET_MS = 300;
const LOOK_EVERY_MS = 100;
/** Shorter rows may be part of anything. */
const SHORT_WORDS = 8;

/** A prompt that was just written: its agent has work, though it does not show it yet. */
export class Submission implements Disposable {
  readonly #clock: Clock;
  readonly #onChange: () => void;
  /** Words of each row on the screen. */
  readonly #readRows: () => readonly string[];
  #rowsBefore: readonly string[] = [];
  #sinceMs: number | undefined;
  #lastOutputMs: number | undefined;
  #timer: Disposable | undefined;

  constructor(clock: Clock, readRows: () => readonly string[], onChange: () => void) {
    this.#clock = clock;
    this.#readRows = readRows;
    this.#onChange = onChange;
  }

  /** Its effect is still to be seen. */
  get isOpen(): boolean {
    return this.#sinceMs !== undefined;
  }

  begin(): void {
    this.end();
    this.#sinceMs = this.#clock.now();
    this.#rowsBefore = this.#readRows();
    this.#wait();
  }

  noteOutput(): void {
    if (this.#sinceMs !== undefined) {
      this.#lastOutputMs = this.#clock.now();
    }
  }

  end(): void {
    this.#sinceMs = undefined;
    this.#lastOutputMs = undefined;
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
  }

  [Symbol.dispose](): void {
    this.end();
  }

  #wait(): void {
    this.#timer = this.#clock.after(LOOK_EVERY_MS, () => {
      const now = this.#clock.now();
      const sinceMs = now - (this.#sinceMs ?? now);
      const isQuiet = this.#lastOutputMs !== undefined && now - this.#lastOutputMs >= QUIET_MS;
      if (sinceMs >= MOST_MS || (sinceMs >= LEAST_MS && isQuiet && this.#hasAnswer())) {
        this.end();
        this.#onChange();
      } else {
        this.#wait();
      }
    });
  }

  /** There is text that was not there before; the prompt itself has only moved, with a word beside it perhaps. */
  #hasAnswer(): boolean {
    const before = this.#rowsBefore;
    const isOld = (row: string): boolean =>
      before.some((old) => row === old || (old.length >= SHORT_WORDS && row.includes(old)));
    return this.#readRows().some((row) => !isOld(row));
  }
}
