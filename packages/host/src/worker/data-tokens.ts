import { WORKER_LIMITS } from "../worker-api/limits.ts";
import { workerError } from "../worker-api/worker-error.ts";

interface Grant<Purpose> {
  readonly purpose: Purpose;
  readonly expiresMs: number;
}

/** Tokens that open one data connection each, soon after they were given. */
export class DataTokens<Purpose> {
  readonly #grants = new Map<string, Grant<Purpose>>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Fails with worker_invalid_state when too many wait to be used. */
  grant(purpose: Purpose): string {
    this.#dropExpired();
    if (this.#grants.size >= WORKER_LIMITS.dataTokens) {
      throw workerError("worker_invalid_state", "Too many streams wait to be opened.");
    }
    const token = Buffer.from(crypto.getRandomValues(new Uint8Array(24))).toString("base64url");
    this.#grants.set(token, { purpose, expiresMs: this.#now() + WORKER_LIMITS.dataTokenMs });
    return token;
  }

  /** Fails with worker_invalid_data_token on one that is unknown, used or too old. */
  redeem(token: string): Purpose {
    const grant = this.#grants.get(token);
    this.#grants.delete(token);
    if (!grant || grant.expiresMs <= this.#now()) {
      throw workerError("worker_invalid_data_token", "The stream token is unknown, used or expired.");
    }
    return grant.purpose;
  }

  /** Tokens are kept in the order of their expiry. */
  #dropExpired(): void {
    for (const [token, { expiresMs }] of this.#grants) {
      if (expiresMs > this.#now()) {
        return;
      }
      this.#grants.delete(token);
    }
  }
}
