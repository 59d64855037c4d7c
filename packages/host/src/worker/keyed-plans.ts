import { isProtocolError } from "@pohunek/protocol/wire";
import { WORKER_LIMITS } from "../worker-api/limits.ts";
import type {
  PlanOutcome,
  PlanState,
  SettlePlanParams,
  SettlePlanResult,
  WritePlanResult,
} from "../worker-api/operations.ts";
import { workerError } from "../worker-api/worker-error.ts";

/** Tells that a plan is held, and takes the word on how it goes on. */
export type NoteHeld = (held: WritePlanResult, settle: (isSubmitted: boolean) => void) => void;

interface KeyedPlan {
  readonly digest: string;
  state: PlanState;
  /** The answer to whoever sends the plan: that it is held, then what came of it. */
  answer: Promise<WritePlanResult>;
  /** What came of it. */
  readonly done: Promise<WritePlanResult>;
  settle?: (isSubmitted: boolean) => void;
  facts: Pick<PlanOutcome, "output_offset" | "written_at_ms" | "code" | "written_bytes">;
}

export interface KeyedPlansOptions {
  readonly outputEnd: () => number;
  readonly capacity?: number;
}

/**
 * Remembers plans by their key for as long as the worker lives, whichever daemon sent them: a daemon that died between the
 * writing and the storing of a receipt asks here, and a plan that is sent again is not written again.
 */
export class KeyedPlans {
  readonly #options: KeyedPlansOptions;
  readonly #plans = new Map<string, KeyedPlan>();
  #rememberedSinceMs = 0;

  constructor(options: KeyedPlansOptions) {
    this.#options = options;
  }

  /** Runs `write` for a new key, or gives what came of it before. */
  async perform(
    { key, digest }: { key: string; digest: string },
    write: (noteHeld: NoteHeld) => Promise<WritePlanResult>,
  ): Promise<WritePlanResult> {
    const known = this.#plans.get(key);
    if (known) {
      if (known.digest !== digest) {
        throw workerError("worker_invalid_request", "This key belongs to another plan.");
      }
      return await known.answer;
    }
    const plan = this.#begin(digest, write);
    this.#plans.set(key, plan);
    this.#forgetOldest();
    return await plan.answer;
  }

  #begin(digest: string, write: (noteHeld: NoteHeld) => Promise<WritePlanResult>): KeyedPlan {
    const held = Promise.withResolvers<WritePlanResult>();
    const whileWriting: { settle?: KeyedPlan["settle"]; result?: WritePlanResult } = {};
    const done = write((result, settle) => {
      whileWriting.settle = settle;
      whileWriting.result = result;
      held.resolve(result);
    });
    const plan: KeyedPlan = { digest, state: "writing", answer: Promise.race([held.promise, done]), done, facts: {} };
    void held.promise.then((result) => {
      if (plan.state === "writing") {
        Object.assign(plan, { state: "held", settle: whileWriting.settle, facts: factsOf(result) });
      }
    });
    done.then(
      (result) => this.#end(plan, result.outcome === "withdrawn" ? "withdrawn" : "written", factsOf(result)),
      (cause: unknown) => this.#end(plan, "failed", failureOf(cause)),
    );
    // A retry may ask for a failure later; until then nobody has to.
    plan.answer.catch(() => undefined);
    return plan;
  }

  #end(plan: KeyedPlan, state: PlanState, facts: KeyedPlan["facts"]): void {
    plan.state = state;
    plan.facts = facts;
    plan.answer = plan.done;
    plan.settle = undefined;
  }

  async settle({ key, submit, output_offset: expected }: SettlePlanParams): Promise<SettlePlanResult> {
    const plan = this.#plans.get(key);
    if (!plan || plan.state === "writing") {
      throw workerError("worker_invalid_state", "No held plan has this key.");
    }
    const outputEnd = this.#options.outputEnd();
    if (plan.settle && submit && expected !== undefined && expected !== outputEnd) {
      return { outcome: "moved", output_offset: outputEnd, written_at_ms: Date.now() };
    }
    plan.settle?.(submit);
    const { outcome, output_offset, written_at_ms } = await plan.done;
    return { outcome: outcome === "withdrawn" ? "withdrawn" : "written", output_offset, written_at_ms };
  }

  outcome(key: string): PlanOutcome {
    const plan = this.#plans.get(key);
    return { state: plan?.state ?? "never", remembered_since_ms: this.#rememberedSinceMs, ...plan?.facts };
  }

  #forgetOldest(): void {
    const capacity = this.#options.capacity ?? WORKER_LIMITS.keyedPlans;
    for (const [key, plan] of this.#plans) {
      if (this.#plans.size <= capacity) {
        return;
      }
      if (plan.settle === undefined && plan.state !== "writing") {
        this.#plans.delete(key);
        this.#rememberedSinceMs = Date.now();
      }
    }
  }
}

function factsOf({ output_offset, written_at_ms }: WritePlanResult): KeyedPlan["facts"] {
  return { output_offset, written_at_ms };
}

function failureOf(cause: unknown): KeyedPlan["facts"] {
  const { code, details } = isProtocolError(cause) ? cause : { code: "worker_runtime_fault", details: undefined };
  const written = details?.["written_bytes"];
  return { code, ...(typeof written === "number" ? { written_bytes: written } : {}) };
}
