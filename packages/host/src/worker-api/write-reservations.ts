import type { PlanFragment, WritePlanParams, WritePlanResult } from "./operations.ts";

export interface WriteFragment {
  readonly data: Uint8Array;
  /** Silence after this fragment, before the next one is written. */
  readonly delayMs?: number;
}

/** Members of a plan beside its fragments. */
export interface PlanOptions {
  readonly timeoutMs?: number;
  readonly key?: string;
  readonly holdMs?: number;
}

export interface WriteReservation extends Disposable {
  /** Sends the plan, which the worker gives up after `timeoutMs`. Call it once. A plan that is held ends by settle_plan. */
  send(fragments: readonly WriteFragment[], options?: PlanOptions): Promise<WritePlanResult>;
}

type SendPlan = (plan: WritePlanParams) => Promise<WritePlanResult>;

interface Waiter {
  readonly grant: () => void;
}

/** Puts the plans of one lease in a line: a plan's fragments are never mixed with those of another. */
export class WriteReservations {
  readonly #send: SendPlan;
  readonly #waiting: Waiter[] = [];
  #sequence = 0;
  #isTaken = false;

  constructor(send: SendPlan) {
    this.#send = send;
  }

  /** A new lease counts from the start. */
  startLease(): void {
    this.#sequence = 0;
  }

  async reserve(signal?: AbortSignal): Promise<WriteReservation> {
    signal?.throwIfAborted();
    if (this.#isTaken) {
      await this.#wait(signal);
    }
    this.#isTaken = true;
    return this.#grant();
  }

  #wait(signal: AbortSignal | undefined): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const onAbort = (): void => {
      this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
      reject(signal?.reason as Error);
    };
    const waiter: Waiter = {
      grant: () => {
        signal?.removeEventListener("abort", onAbort);
        resolve();
      },
    };
    this.#waiting.push(waiter);
    signal?.addEventListener("abort", onAbort, { once: true });
    return promise;
  }

  #grant(): WriteReservation {
    let state: "granted" | "sending" | "released" = "granted";
    const release = (): void => {
      state = "released";
      const next = this.#waiting.shift();
      if (next) {
        next.grant();
      } else {
        this.#isTaken = false;
      }
    };
    return {
      send: async (fragments, options = {}) => {
        if (state !== "granted") {
          throw new TypeError("A write reservation sends one plan.");
        }
        state = "sending";
        try {
          const plan = { sequence: this.#nextSequence(), fragments: fragments.map(toWire) };
          return await this.#send({ ...plan, ...membersOf(options) });
        } finally {
          release();
        }
      },
      [Symbol.dispose]: () => {
        // While sending, the answer releases: the next plan must not overtake one whose caller has given up.
        if (state === "granted") {
          release();
        }
      },
    };
  }

  #nextSequence(): number {
    this.#sequence += 1;
    return this.#sequence;
  }
}

function membersOf({ timeoutMs, key, holdMs }: PlanOptions): Partial<WritePlanParams> {
  return {
    ...(timeoutMs === undefined ? {} : { timeout_ms: timeoutMs }),
    ...(key === undefined ? {} : { key }),
    ...(holdMs === undefined ? {} : { hold_ms: holdMs }),
  };
}

function toWire(fragment: WriteFragment): PlanFragment {
  const data = Buffer.from(fragment.data.buffer, fragment.data.byteOffset, fragment.data.length);
  return { data_base64: data.toString("base64"), ...(fragment.delayMs ? { delay_ms: fragment.delayMs } : {}) };
}
