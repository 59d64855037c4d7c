import { isProtocolError } from "@pohunek/protocol/wire";
import type { Logger } from "../logs/logger.ts";
import { failureFields } from "../logs/logger.ts";
import type { Platform } from "../platform/index.ts";
import type { Supervisor } from "../supervision/supervisor.ts";
import { WorkerClient } from "../worker-api/client.ts";
import { workerSocketPath } from "../worker-api/paths.ts";
import { within } from "../worker-api/within.ts";
import type { Retries } from "./backoff.ts";
import type { Registry } from "./registry.ts";
import { retireWorker } from "./retire-worker.ts";
import type { Session } from "./session.ts";
import { keyOf } from "./worker-watch.ts";

export interface RollBackOptions {
  readonly registry: Registry;
  readonly supervisor: Pick<Supervisor, "inspect" | "retire">;
  readonly platform: Pick<Platform, "processes">;
  readonly controller: string;
  readonly runtimeRoot: string;
  readonly retries: Retries;
  /** Deletes the session's files: its worker's log. */
  readonly deleteFiles: (session: Session) => void;
  readonly log: Logger;
}

/** How long one try waits for the worker's end; more tries follow. */
const ENDING_MS = 3000;
/** How long one try waits for the worker to end a program that it may have started. */
const STOP_MS = 10_000;

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
    const { registry, supervisor, platform, deleteFiles, log } = this.#options;
    try {
      const askToEnd = () => this.#stopWorker(session);
      const key = keyOf(session);
      if (!(await retireWorker({ supervisor, processes: platform.processes, key, deadlineMs: ENDING_MS, askToEnd }))) {
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

  /** Asks the worker to end what it started, and itself. One that can't be reached ends at its own deadline. */
  async #stopWorker(session: Session): Promise<void> {
    const { controller, runtimeRoot, log } = this.#options;
    try {
      await using client = await WorkerClient.connect(workerSocketPath(runtimeRoot, session.id), {
        connectMs: ENDING_MS,
      });
      if (client.hello.runtime_id !== session.record.runtime.runtimeId) {
        return;
      }
      await within(endOverSocket(client, controller), { ms: STOP_MS });
    } catch (cause) {
      if (!isProtocolError(cause)) {
        throw cause;
      }
      log.debug("worker_not_stopped", { session_id: session.id, code: cause.code });
    }
  }
}

async function endOverSocket(client: WorkerClient, controller: string): Promise<void> {
  await client.acquireController(controller);
  if ((await client.inspect()).phase !== "waiting") {
    await client.stop();
  }
  await client.acknowledgeTerminal();
}
