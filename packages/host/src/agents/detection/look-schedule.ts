import type { Clock } from "./clock.ts";

/** Fast enough for a state that a person waits for, and five looks a second at most. */
const LOOK_EVERY_MS = 200;
/** A program draws its screen anew this long after a resize; what is there before is broken by the new width. */
const AFTER_RESIZE_MS = 300;

/** Decides when the screen's text is fetched: only when it changed, when a rule wants it, and not too often. */
export class LookSchedule implements Disposable {
  readonly #clock: Clock;
  readonly #look: () => void;
  #revision = -1;
  #seenRevision = -2;
  #lastLookMs = Number.NEGATIVE_INFINITY;
  #postponedMs = Number.NEGATIVE_INFINITY;
  #timer: (Disposable & { readonly dueMs: number }) | undefined;
  #isLooking = false;

  constructor(clock: Clock, look: () => void) {
    this.#clock = clock;
    this.#look = look;
  }

  /** There is nothing on the screen that was not seen, or nothing new may be seen yet. */
  get isFresh(): boolean {
    return this.#seenRevision >= 0 && !this.#isLooking && this.#timer === undefined;
  }

  changed(revision: number): void {
    this.#revision = revision;
  }

  looked(revision: number): void {
    this.#isLooking = false;
    this.#seenRevision = revision;
    this.#revision = Math.max(this.#revision, revision);
  }

  /** The screen is to be seen once more, though it may not have changed since. */
  again(): void {
    this.#seenRevision = Math.min(this.#seenRevision, this.#revision - 1);
  }

  failed(): void {
    this.#isLooking = false;
  }

  postpone(): void {
    this.#postponedMs = this.#clock.now() + AFTER_RESIZE_MS;
    this.#stop();
    this.again();
    this.want();
  }

  /** `everyMs`: time from one look to the next. */
  want(everyMs = LOOK_EVERY_MS): void {
    const dueMs = Math.max(this.#clock.now(), this.#lastLookMs + everyMs, this.#postponedMs);
    const isPlanned = this.#timer !== undefined && this.#timer.dueMs <= dueMs;
    if (isPlanned || this.#isLooking || this.#seenRevision >= this.#revision) {
      return;
    }
    this.#stop();
    const timer = this.#clock.after(Math.ceil(dueMs - this.#clock.now()), () => {
      this.#timer = undefined;
      this.#isLooking = true;
      this.#lastLookMs = this.#clock.now();
      this.#look();
    });
    this.#timer = { dueMs, [Symbol.dispose]: () => timer[Symbol.dispose]() };
  }

  [Symbol.dispose](): void {
    this.#stop();
  }

  #stop(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
  }
}
