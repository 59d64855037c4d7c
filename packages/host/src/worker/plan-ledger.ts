import { WORKER_LIMITS } from "../worker-api/limits.ts";
import type { WritePlanResult } from "../worker-api/operations.ts";
import { workerError } from "../worker-api/worker-error.ts";

interface Entry {
  readonly digest: string;
  readonly outcome: Promise<WritePlanResult>;
}

/**
 * Remembers the plans of one lease exactly, so that a retry returns the first result and writes nothing. Sequences only
 * rise; what lies at or below the watermark and is not remembered any more has an outcome that nobody knows.
 */
export class PlanLedger {
  readonly #entries = new Map<number, Entry>();
  readonly #capacity: number;
  #watermark = 0;

  constructor(capacity: number = WORKER_LIMITS.rememberedPlans) {
    this.#capacity = capacity;
  }

  /** Runs `write` for a new sequence, or gives what came of it before. */
  perform(plan: { sequence: number; digest: string }, write: () => Promise<WritePlanResult>): Promise<WritePlanResult> {
    const known = this.#entries.get(plan.sequence);
    if (known) {
      if (known.digest !== plan.digest) {
        throw workerError("worker_invalid_request", "This sequence belongs to another plan.");
      }
      return known.outcome;
    }
    if (plan.sequence <= this.#watermark) {
      throw workerError("worker_write_outcome_unknown", "What came of this plan is not remembered any more.");
    }
    this.#watermark = plan.sequence;
    const outcome = write();
    // A retry may ask for a failure later; until then nobody has to.
    outcome.catch(() => undefined);
    this.#entries.set(plan.sequence, { digest: plan.digest, outcome });
    this.#forgetOldest();
    return outcome;
  }

  #forgetOldest(): void {
    for (const sequence of this.#entries.keys()) {
      if (this.#entries.size <= this.#capacity) {
        return;
      }
      this.#entries.delete(sequence);
    }
  }
}
