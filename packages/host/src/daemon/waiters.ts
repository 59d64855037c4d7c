import { protocolError } from "@pohunek/protocol/wire";

export interface WaiterLimits {
  readonly total: number;
  readonly perSession: number;
}

/** Slots for calls that wait. Each waiting call holds one until it is answered, which its own timeout bounds. */
export class Waiters {
  readonly #limits: WaiterLimits;
  readonly #bySession = new Map<string, number>();
  #total = 0;

  constructor(limits: WaiterLimits) {
    this.#limits = limits;
  }

  /** Takes a slot. Fails with session_waiter_limit_reached. */
  take(sessionId: string): Disposable {
    const taken = this.#bySession.get(sessionId) ?? 0;
    if (taken >= this.#limits.perSession || this.#total >= this.#limits.total) {
      throw protocolError("session_waiter_limit_reached");
    }
    this.#bySession.set(sessionId, taken + 1);
    this.#total += 1;
    return { [Symbol.dispose]: () => this.#free(sessionId) };
  }

  #free(sessionId: string): void {
    this.#total -= 1;
    const left = (this.#bySession.get(sessionId) ?? 1) - 1;
    if (left === 0) {
      this.#bySession.delete(sessionId);
    } else {
      this.#bySession.set(sessionId, left);
    }
  }
}
