import type { Clock } from "./clock.ts";

/** An agent that draws nothing for so long after a prompt has not taken it. Measured: up to 0.9 s, 1.4 s during a start. */
const MOST_MS = 3_000;
/** Less than this may be the echo of the prompt alone. */
const LEAST_MS = 600;
/** An answer that came and went between two looks leaves a quiet, idle screen. */
const QUIET_MS = 300;
const LOOK_EVERY_MS = 100;

/** A prompt that was just written: its agent has work, though it does not show it yet. */
export class Submission implements Disposable {
  readonly #clock: Clock;
  readonly #onChange: () => void;
  #sinceMs: number | undefined;
  #lastOutputMs: number | undefined;
  #timer: Disposable | undefined;

  constructor(clock: Clock, onChange: () => void) {
    this.#clock = clock;
    this.#onChange = onChange;
  }

  /** Its effect is still to be seen. */
  get isOpen(): boolean {
    return this.#sinceMs !== undefined;
  }

  begin(): void {
    this.end();
    this.#sinceMs = this.#clock.now();
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
      const isAnswered = this.#lastOutputMs !== undefined && now - this.#lastOutputMs >= QUIET_MS;
      if (sinceMs >= MOST_MS || (sinceMs >= LEAST_MS && isAnswered)) {
        this.end();
        this.#onChange();
      } else {
        this.#wait();
      }
    });
  }
}
