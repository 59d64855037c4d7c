import type { Logger } from "../logs/logger.ts";
import { failureFields } from "../logs/logger.ts";
import type { Platform } from "../platform/index.ts";
import type { Supervisor } from "../supervision/supervisor.ts";
import { retireWorker } from "./retire-worker.ts";
import type { Session } from "./session.ts";

export interface EndedWorkersOptions {
  /** Workers that stay after their program has ended; the one that ended first gives way. */
  readonly keep: number;
  readonly supervisor: Pick<Supervisor, "inspect" | "retire">;
  readonly platform: Pick<Platform, "processes">;
  readonly log: Logger;
  /** False while the outcome is not on disk: then only the worker knows it. */
  readonly isStored: (session: Session) => boolean;
}

/** How long an acknowledged worker gets to end before what it leaves is cleaned up by a later daemon instead. */
const ENDING_MS = 5000;

/**
 * Keeps the workers of sessions that ended a while ago, so that their last screen and output can still be read, and lets
 * the oldest go when there are too many.
 */
export class EndedWorkers {
  readonly #options: EndedWorkersOptions;
  readonly #kept = new Set<Session>();

  constructor(options: EndedWorkersOptions) {
    this.#options = options;
  }

  /** The session's program has ended, and its worker is connected. It stays at least until `reading` is settled. */
  keep(session: Session, reading?: Promise<void>): void {
    if (reading !== undefined) {
      const { link } = session;
      void reading.then(() => session.link === link && this.keep(session));
      return;
    }
    this.#kept.add(session);
    while (this.#kept.size > this.#options.keep) {
      const [oldest] = this.#kept;
      if (oldest === undefined || !this.#options.isStored(oldest)) {
        return;
      }
      void this.release(oldest);
    }
  }

  /** The worker is gone or no longer reachable: there is nothing to keep. */
  forget(session: Session): void {
    this.#kept.delete(session);
  }

  /** Tells the worker that its outcome is known, waits for its end and removes what it left. Best effort: a failure is logged. */
  async release(session: Session): Promise<void> {
    this.#kept.delete(session);
    const { link } = session;
    if (link === undefined) {
      return;
    }
    const { log, supervisor, platform } = this.#options;
    // One that can't be asked is not waited for.
    const deadlineMs = link.isConnected ? ENDING_MS : 0;
    try {
      const askToEnd = async (): Promise<void> => {
        if (link.isConnected) {
          await link.client.acknowledgeTerminal();
        }
        await link[Symbol.asyncDispose]();
        session.link = undefined;
      };
      await retireWorker({
        supervisor,
        processes: platform.processes,
        key: link.key,
        deadlineMs,
        worker: session.live?.worker,
        askToEnd,
      });
    } catch (cause) {
      log.warn("worker_not_released", { session_id: session.id, ...failureFields(cause) });
    }
  }
}
