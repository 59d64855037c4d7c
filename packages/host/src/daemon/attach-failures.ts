import type { StreamId, WireError } from "@pohunek/protocol/wire";
import { LIMITS } from "@pohunek/protocol/wire";

interface Kept {
  readonly error: WireError;
  readonly until: number;
}

/** Why attach streams broke: kept for a minute, so that the client can ask once and stop trying. */
export class AttachFailures {
  readonly #kept = new Map<StreamId, Kept>();
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  put(streamId: StreamId, error: WireError): void {
    this.#kept.set(streamId, { error, until: this.#now() + LIMITS.attachFailureTtlMs });
    for (const [oldId, { until }] of this.#kept) {
      if (until > this.#now() && this.#kept.size <= LIMITS.attachFailureEntries) {
        return;
      }
      this.#kept.delete(oldId);
    }
  }

  /** The failure of a stream, the first time it is asked for. */
  take(streamId: StreamId): WireError | undefined {
    const kept = this.#kept.get(streamId);
    this.#kept.delete(streamId);
    return kept !== undefined && kept.until > this.#now() ? kept.error : undefined;
  }
}
