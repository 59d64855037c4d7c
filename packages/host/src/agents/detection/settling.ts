import type { Activity } from "./activity.ts";
import type { Clock } from "./clock.ts";
import type { Verdict } from "./verdict.ts";

/** A screen says idle this long before it is believed: while it changes, an agent's signs of work are gone for a moment. */
const IDLE_MS = 300;
/** The longest that output which goes on delays it. */
const IDLE_CAP_MS = 700;
/** Retries have a ready-looking screen between them. */
const AFTER_RETRY_MS = 600;
/** A screen that no rule knows, between two that some do. */
const UNKNOWN_MS = 900;

/** Holds back what is likely to be over in a moment. */
export class Settling implements Disposable {
  readonly #clock: Clock;
  readonly #onDue: () => void;
  #since = 0;
  #pending: string | undefined;
  #timer: Disposable | undefined;

  constructor(clock: Clock, onDue: () => void) {
    this.#clock = clock;
    this.#onDue = onDue;
  }

  /** Whether the verdict may be told now; when not, `onDue` asks to judge again. */
  isSettled(verdict: Verdict, now: { before: Activity | undefined; isQuiet: boolean }): boolean {
    const waitMs = waitOf(verdict, now.before);
    if (waitMs === 0) {
      this.cancel();
      return true;
    }
    const key = `${verdict.activity} ${verdict.detail.kind}`;
    if (this.#pending !== key) {
      this.cancel();
      this.#pending = key;
      this.#since = this.#clock.now();
    }
    const heldMs = this.#clock.now() - this.#since;
    const isDue = heldMs >= waitMs && (now.isQuiet || verdict.activity === undefined || heldMs >= IDLE_CAP_MS);
    if (isDue) {
      this.cancel();
      return true;
    }
    const restMs = heldMs >= waitMs ? IDLE_CAP_MS - heldMs : waitMs - heldMs;
    // Whole: a wait too short for the clock to move would never end.
    this.#timer ??= this.#clock.after(Math.ceil(restMs), () => {
      this.#timer = undefined;
      this.#onDue();
    });
    return false;
  }

  cancel(): void {
    this.#pending = undefined;
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
  }

  [Symbol.dispose](): void {
    this.cancel();
  }
}

function waitOf(verdict: Verdict, before: Activity | undefined): number {
  const { source } = verdict.detail.evidence;
  const isReported = source === "osc_7501" || source === "channel";
  if (isReported || verdict.activity === "working" || verdict.activity === "blocked") {
    return 0;
  }
  if (verdict.activity === undefined) {
    // At first nothing is known, and that may be told at once.
    return before === undefined ? 0 : UNKNOWN_MS;
  }
  return before?.detail?.kind === "retrying" ? AFTER_RETRY_MS : IDLE_MS;
}
