import type { Clock } from "./clock.ts";

export interface StuckWatchOptions {
  readonly clock: Clock;
  readonly cpuSeconds: () => number | undefined;
  readonly onChange: () => void;
}

/** A working agent that prints nothing and uses no processor for so long is stuck. */
const STUCK_AFTER_MS = 300_000;
/** How often a silent one is looked at: a list of all processes costs some milliseconds. */
const LOOK_EVERY_MS = 60_000;
/** Share of one core that waiting costs a runtime with timers. */
const IDLE_SHARE = 0.01;

/** Watches a program that says that it works. Runs a timer only while it does. */
export class StuckWatch implements Disposable {
  readonly #options: StuckWatchOptions;
  #timer: Disposable | undefined;
  #lastOutputMs: number;
  #sample: { readonly atMs: number; readonly cpuSeconds: number } | undefined;
  #isStuck = false;

  constructor(options: StuckWatchOptions) {
    this.#options = options;
    this.#lastOutputMs = options.clock.now();
  }

  get isStuck(): boolean {
    return this.#isStuck;
  }

  noteOutput(): void {
    this.#lastOutputMs = this.#options.clock.now();
    this.#sample = undefined;
    this.#tell(false);
  }

  watch(): void {
    this.#timer ??= this.#options.clock.after(LOOK_EVERY_MS, () => this.#lookAtIt());
  }

  rest(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    this.#sample = undefined;
    this.#isStuck = false;
  }

  [Symbol.dispose](): void {
    this.rest();
  }

  #lookAtIt(): void {
    this.#timer = undefined;
    this.watch();
    const { clock, cpuSeconds: read } = this.#options;
    const atMs = clock.now();
    const silentMs = atMs - this.#lastOutputMs;
    const cpuSeconds = silentMs < LOOK_EVERY_MS ? undefined : read();
    if (cpuSeconds === undefined) {
      this.#sample = undefined;
      return;
    }
    this.#sample ??= { atMs, cpuSeconds };
    const share = ((cpuSeconds - this.#sample.cpuSeconds) * 1_000) / Math.max(1, atMs - this.#sample.atMs);
    if (share > IDLE_SHARE) {
      this.#sample = { atMs, cpuSeconds };
      this.#tell(false);
    } else if (silentMs >= STUCK_AFTER_MS && atMs - this.#sample.atMs >= STUCK_AFTER_MS - LOOK_EVERY_MS) {
      this.#tell(true);
    }
  }

  #tell(isStuck: boolean): void {
    if (isStuck !== this.#isStuck) {
      this.#isStuck = isStuck;
      this.#options.onChange();
    }
  }
}
