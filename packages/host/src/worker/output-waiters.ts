import { WORKER_LIMITS } from "../worker-api/limits.ts";
import { workerError } from "../worker-api/worker-error.ts";

interface Waiter {
  readonly offset: number;
  readonly resolve: (hasOutput: boolean) => void;
  readonly timer: ReturnType<typeof setTimeout>;
}

/** Readers of retained output that wait for more of it. */
export class OutputWaiters {
  readonly #waiters = new Set<Waiter>();

  /** True when output beyond `offset` came or none will come any more, false after `ms`. */
  wait(offset: number, ms: number): Promise<boolean> {
    if (this.#waiters.size >= WORKER_LIMITS.observationWaiters) {
      throw workerError("session_waiter_limit_reached", "Too many readers wait for output of this session.");
    }
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => this.#finish(waiter, false), ms);
    const waiter: Waiter = { offset, resolve, timer };
    this.#waiters.add(waiter);
    return promise;
  }

  /** Output now reaches to `endOffset`. */
  advance(endOffset: number): void {
    for (const waiter of this.#waiters) {
      if (waiter.offset < endOffset) {
        this.#finish(waiter, true);
      }
    }
  }

  /** No output will come any more, or nobody is there to be answered. */
  release(): void {
    for (const waiter of this.#waiters) {
      this.#finish(waiter, true);
    }
  }

  #finish(waiter: Waiter, hasOutput: boolean): void {
    clearTimeout(waiter.timer);
    this.#waiters.delete(waiter);
    waiter.resolve(hasOutput);
  }
}
