import { EVENT_INTERVAL_MS } from "../worker-api/events.ts";

export type Announcement = "output" | "terminal" | "geometry" | "attached";

/**
 * Merges floods of changes: the first is announced at once, the following ones together, one interval after the last
 * announcement. Nothing is scheduled while nothing changes or nobody listens.
 */
export class Announcer implements Disposable {
  readonly #announce: (changed: ReadonlySet<Announcement>) => void;
  #changed = new Set<Announcement>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #lastMs = Number.NEGATIVE_INFINITY;
  #isListening = false;

  constructor(announce: (changed: ReadonlySet<Announcement>) => void) {
    this.#announce = announce;
  }

  listen(isListening: boolean): void {
    this.#isListening = isListening;
    this.#changed.clear();
    this.#stop();
  }

  note(change: Announcement): void {
    if (!this.#isListening) {
      return;
    }
    this.#changed.add(change);
    if (this.#timer) {
      return;
    }
    const waitMs = this.#lastMs + EVENT_INTERVAL_MS - performance.now();
    // Also the first one waits for the end of the turn: what one read brings is one announcement.
    this.#timer = setTimeout(() => this.flush(), Math.max(0, waitMs));
  }

  /** Announces what is due now, before something that must come after it. */
  flush(): void {
    this.#stop();
    if (this.#changed.size > 0) {
      const changed = this.#changed;
      this.#changed = new Set();
      this.#lastMs = performance.now();
      this.#announce(changed);
    }
  }

  #stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  [Symbol.dispose](): void {
    this.listen(false);
  }
}
