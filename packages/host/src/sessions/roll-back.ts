import { failureFields } from "../logs/logger.ts";
import type { Retries } from "./backoff.ts";
import type { EndNewWorkerOptions } from "./end-new-worker.ts";
import { endNewWorker } from "./end-new-worker.ts";
import type { Registry } from "./registry.ts";
import type { Session } from "./session.ts";
import { keyOf } from "./worker-watch.ts";

export interface RollBackOptions extends EndNewWorkerOptions {
  readonly registry: Registry;
  readonly retries: Retries;
  /** Deletes the session's files: its worker's log. */
  readonly deleteFiles: (session: Session) => void;
}

/**
 * Takes back creations that failed. A session's record goes only when its worker is proven ended; until then it is tried
 * again, from 1 s to 60 s apart, also after restarts of the daemon.
 */
export class RollBack {
  readonly #options: RollBackOptions;

  constructor(options: RollBackOptions) {
    this.#options = options;
  }

  /** Tries once now; when that does not end it, goes on in the background. */
  async begin(session: Session): Promise<void> {
    const { link } = session;
    session.link = undefined;
    await link?.[Symbol.asyncDispose]();
    if (!(await this.#tryOnce(session))) {
      this.#options.log.warn("create_compensation_pending", { session_id: session.id });
      this.#options.retries.begin(session.id, () => this.#tryOnce(session));
    }
  }

  async #tryOnce(session: Session): Promise<boolean> {
    const { registry, deleteFiles, log } = this.#options;
    try {
      if (!(await endNewWorker(keyOf(session), this.#options))) {
        return false;
      }
      registry.remove(session, "session_rolled_back");
      deleteFiles(session);
      return true;
    } catch (cause) {
      log.warn("create_compensation_failed", { session_id: session.id, ...failureFields(cause) });
      return false;
    }
  }
}
