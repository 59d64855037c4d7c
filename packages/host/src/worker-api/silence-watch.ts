export interface SilenceWatchOptions {
  /** A worker that says nothing for so long while something is asked of it counts as silent. */
  readonly answerMs: number;
  /** Whether an answer is awaited. */
  readonly isWaiting: () => boolean;
  /** Asks for what any worker answers at once, whatever else it was asked for. */
  readonly ask: () => void;
  /** Called once, last. */
  readonly onSilent: () => void;
}

/** What was asked for may rightly take long, so after this part of the time the worker is asked whether it is there. */
const ASK_PART = 0.4;
/** The end of the time is waited for anew: after a sleep of our own, what came meanwhile is read before it is judged. */
const LAST_PART = 0.1;

/** Notices that a worker has fallen silent, by one timer that runs only while an answer is awaited. */
export class SilenceWatch implements Disposable {
  readonly #options: SilenceWatchOptions;
  #heardAt = performance.now();
  /** Begin of the silence that counts: what was not asked for need not be answered. */
  #since = 0;
  #hasAsked = false;
  #isLast = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isOver = false;

  constructor(options: SilenceWatchOptions) {
    this.#options = options;
  }

  /** Something was asked of the worker. */
  asked(): void {
    if (this.#timer === undefined && !this.#isOver) {
      this.#begin(performance.now());
    }
  }

  /** The worker has said something. */
  heard(): void {
    this.#heardAt = performance.now();
  }

  /** Asks the worker whether it is there, if it has said nothing for so long. */
  askAfter(quietMs: number): void {
    if (this.#timer === undefined && performance.now() - this.#heardAt >= quietMs) {
      this.#options.ask();
    }
  }

  #begin(since: number): void {
    this.#since = since;
    this.#hasAsked = false;
    this.#isLast = false;
    this.#wait(this.#options.answerMs * ASK_PART - (performance.now() - since));
  }

  #wait(ms: number): void {
    this.#timer = setTimeout(() => this.#look(), Math.max(0, ms));
  }

  #look(): void {
    const { answerMs, isWaiting, ask, onSilent } = this.#options;
    if (!isWaiting()) {
      this.#timer = undefined;
    } else if (this.#heardAt > this.#since) {
      this.#begin(this.#heardAt);
    } else if (this.#isLast) {
      this[Symbol.dispose]();
      onSilent();
    } else if (this.#hasAsked) {
      this.#isLast = true;
      this.#wait(answerMs * LAST_PART);
    } else {
      this.#hasAsked = true;
      ask();
      this.#wait(answerMs * (1 - ASK_PART - LAST_PART));
    }
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }
}
