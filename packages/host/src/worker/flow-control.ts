/**
 * Who may hold the program back. The program's output waits for attached viewers that keep reading, so they get every
 * byte; it does not wait for one that stopped, and a slow one does not hold back a fast one. A viewer that loses this
 * right is cut loose: it skips output and is repainted when it can take something again.
 */
export interface FlowLimits {
  /** A reader this far behind holds the program back; it goes on at half of it. */
  readonly holdBytes: number;
  /** A reader that may not hold is cut loose when it is this far behind. */
  readonly looseBytes: number;
  /** A reader that takes nothing for so long has stopped. Long enough for a daemon that is busy starting sessions. */
  readonly stalledMs: number;
  /** A reader slower than this, measured over `rateWindowMs`, would freeze the program more than it shows of it. */
  readonly minBytesPerSecond: number;
  readonly rateWindowMs: number;
  /**
   * Time for which one reader may keep a faster one waiting. It regains three times what passes without that, so one that
   * reads at a quarter of the other's speed never runs out of it. Longer than an equally fast reader may have to wait for a
   * processor where many are at work.
   */
  readonly contestedMs: number;
  /** A reader that was cut loose and then kept up for so long may hold again. */
  readonly probationMs: number;
}

export const FLOW_LIMITS: FlowLimits = {
  holdBytes: 1_048_576,
  looseBytes: 262_144,
  stalledMs: 1_000,
  minBytesPerSecond: 1_048_576,
  rateWindowMs: 2_000,
  contestedMs: 250,
  probationMs: 1_000,
};

const REGAINED_SHARE = 3;
/** How often a held program is looked after; nothing runs while none is held. */
const CHECK_MS = { contested: 10, alone: 100 };
/** After a longer time without a decision it was us who had no processor, and readers waited for us as well. */
const CHARGED_AT_ONCE_MS = 2 * CHECK_MS.contested;

export interface FlowReader {
  /** Output that it has not taken yet. */
  readonly lagBytes: number;
  /** All that it ever took. */
  readonly takenBytes: number;
  /** It waits for a repaint, or for the rest of it, and takes no output now. */
  readonly isLoose: boolean;
}

export interface FlowDecision<Reader extends FlowReader> {
  readonly isHeld: boolean;
  readonly cutLoose: readonly Reader[];
  /** Decide again after this time even if nothing happens. */
  readonly checkInMs: number | undefined;
}

interface Standing {
  mayHold: boolean;
  looseSinceMs: number;
  chargedMs: number;
  /** Since the last decision a reader that had taken all waited for this one. */
  isWaitedFor: boolean;
  /** Set while the reader wants the program held. */
  window: { startMs: number; taken: number; movedMs: number; lastTaken: number } | undefined;
}

/** Decides again whenever output came, a reader took some, or a reader came or went. */
export class FlowControl<Reader extends FlowReader> {
  readonly #limits: FlowLimits;
  readonly #standings = new WeakMap<Reader, Standing>();
  #isHeld = false;
  #lastMs = 0;

  constructor(limits: FlowLimits) {
    this.#limits = limits;
  }

  decide(readers: readonly Reader[], nowMs: number): FlowDecision<Reader> {
    const elapsedMs = nowMs - this.#lastMs;
    this.#lastMs = nowMs;
    const cutLoose = readers.filter((reader) => {
      const standing = this.#standing(reader);
      charge(standing, elapsedMs);
      if (reader.isLoose) standing.looseSinceMs = nowMs;
      return !reader.isLoose && this.#isToBeCut(reader, standing, nowMs);
    });
    for (const reader of cutLoose) {
      Object.assign(this.#standing(reader), { mayHold: false, looseSinceMs: nowMs, window: undefined });
    }
    const following = readers.filter((reader) => !reader.isLoose && !cutLoose.includes(reader));
    const threshold = this.#isHeld ? this.#limits.holdBytes / 2 : this.#limits.holdBytes;
    this.#isHeld = following.some((reader) => this.#standing(reader).mayHold && reader.lagBytes > threshold);
    const isContested = this.#isHeld && following.some((reader) => reader.lagBytes === 0);
    for (const reader of readers) {
      this.#standing(reader).isWaitedFor = isContested && reader.lagBytes > this.#limits.holdBytes / 2;
    }
    const checkMs = readers.length > 1 ? CHECK_MS.contested : CHECK_MS.alone;
    return { isHeld: this.#isHeld, cutLoose, checkInMs: this.#isHeld ? checkMs : undefined };
  }

  #standing(reader: Reader): Standing {
    const known = this.#standings.get(reader);
    const standing = known ?? { mayHold: true, looseSinceMs: 0, chargedMs: 0, isWaitedFor: false, window: undefined };
    if (!known) {
      this.#standings.set(reader, standing);
    }
    return standing;
  }

  #isToBeCut(reader: Reader, standing: Standing, nowMs: number): boolean {
    const { holdBytes, looseBytes, contestedMs, probationMs } = this.#limits;
    if (!standing.mayHold) {
      if (reader.lagBytes === 0 && nowMs - standing.looseSinceMs >= probationMs) {
        standing.mayHold = true;
        standing.chargedMs = 0;
      }
      return reader.lagBytes > looseBytes;
    }
    if (reader.lagBytes <= holdBytes / 2) {
      standing.window = undefined;
      return false;
    }
    return standing.chargedMs > contestedMs || this.#isTooSlow(reader, standing, nowMs);
  }

  /** Judges only while the reader is far behind, since a reader that is up to date takes no more than is printed. */
  #isTooSlow(reader: Reader, standing: Standing, nowMs: number): boolean {
    const { stalledMs, rateWindowMs, minBytesPerSecond } = this.#limits;
    const taken = reader.takenBytes;
    standing.window ??= { startMs: nowMs, taken, movedMs: nowMs, lastTaken: taken };
    const { window } = standing;
    if (taken > window.lastTaken) {
      window.lastTaken = taken;
      window.movedMs = nowMs;
    }
    if (nowMs - window.movedMs >= stalledMs) {
      return true;
    }
    const spanMs = nowMs - window.startMs;
    if (spanMs < rateWindowMs) {
      return false;
    }
    const isSlow = ((taken - window.taken) / spanMs) * 1_000 < minBytesPerSecond;
    standing.window = { startMs: nowMs, taken, movedMs: window.movedMs, lastTaken: taken };
    return isSlow;
  }
}

function charge(standing: Standing, elapsedMs: number): void {
  const change = standing.isWaitedFor ? Math.min(elapsedMs, CHARGED_AT_ONCE_MS) : -elapsedMs * REGAINED_SHARE;
  standing.chargedMs = Math.max(0, standing.chargedMs + change);
}
