import { protocolError } from "@pohunek/protocol/wire";
import type { Platform } from "../platform/index.ts";
import type { Logger } from "../store/logger.ts";
import { failureFields } from "../store/logger.ts";
import type { Supervisor } from "../supervision/supervisor.ts";
import type { StopResult, SurvivingProcess } from "../worker-api/operations.ts";
import type { Retries } from "./backoff.ts";
import type { Changes } from "./changes.ts";
import type { EndedWorkers } from "./ended-workers.ts";
import type { EndLeftovers, Leftovers } from "./leftovers.ts";
import { areConfirmed, NOTHING_LEFT } from "./leftovers.ts";
import { hasEnded } from "./lifecycle.ts";
import type { Registry } from "./registry.ts";
import { retireWorker } from "./retire-worker.ts";
import type { Session } from "./session.ts";
import type { ReachStep } from "./steps.ts";
import { keyOf } from "./worker-watch.ts";

export interface EndOptions {
  readonly registry: Registry;
  readonly supervisor: Pick<Supervisor, "inspect" | "retire">;
  readonly platform: Pick<Platform, "processes">;
  readonly ended: EndedWorkers;
  readonly changes: Changes;
  readonly graceMs: number;
  readonly endLeftovers: EndLeftovers;
  /** Deletes the session's files: its worker's log. */
  readonly deleteFiles: (session: Session) => void;
  readonly reach: ReachStep;
  readonly retries: Retries;
  readonly log: Logger;
  readonly now: () => Date;
}

export interface RemoveOutcome {
  /** The program ran and was stopped for this. */
  readonly stopped: boolean;
  /** Processes that live on, accepted by the caller. */
  readonly accepted: readonly SurvivingProcess[];
}

/** Step of a remove: whether processes that live on may be left behind. It survives a restart with the operation. */
const STEP_STRICT = "strict";
const STEP_ACCEPTING = "accepting";

/** How long a stop waits for a worker that is just being reconnected. */
const RECONNECT_MS = 5000;
/** How long a stop waits for the worker's report after the grace and the kill. */
const OUTCOME_MS = 10_000;
const WORKER_END_MS = 5000;

/** Stops and removes sessions. Each operation is on disk before it acts, and can be finished by the next daemon. */
export class SessionEnder {
  readonly #options: EndOptions;

  constructor(options: EndOptions) {
    this.#options = options;
  }

  /** Ends the session's program and all it started. A session that has ended already is left as it is. */
  async stop(session: Session): Promise<void> {
    await session.lifecycle.run(async () => {
      this.#mustExist(session);
      if (!hasEnded(session.record)) {
        await this.#stopNow(session, "stop");
      }
    });
  }

  /** Ends the session and deletes it. Fails with session_exit_timeout when processes live on and that is not accepted. */
  async remove(session: Session, isAccepting: boolean): Promise<RemoveOutcome> {
    return await session.lifecycle.run(async () => {
      this.#mustExist(session);
      return await this.#removeNow(session, isAccepting);
    });
  }

  /** Goes on with what a daemon that is gone had begun, until it is done. */
  async resume(session: Session): Promise<void> {
    if (!(await this.#tryToFinish(session))) {
      this.#options.retries.begin(session.id, () => this.#tryToFinish(session));
    }
  }

  async #tryToFinish(session: Session): Promise<boolean> {
    const { registry, log } = this.#options;
    try {
      await session.lifecycle.run(async () => {
        const { operation } = session;
        if (operation?.kind === "remove") {
          await this.#removeNow(session, operation.step === STEP_ACCEPTING);
        } else if (operation?.kind === "stop" && !hasEnded(session.record)) {
          await this.#stopNow(session, "stop");
        } else if (operation?.kind === "stop") {
          registry.note(session, null);
        }
      });
    } catch (cause) {
      log.warn("operation_not_finished", { session_id: session.id, ...failureFields(cause) });
    }
    return session.operation === undefined || registry.find(session.id) !== session;
  }

  #mustExist(session: Session): void {
    if (this.#options.registry.find(session.id) !== session) {
      throw protocolError("session_not_found");
    }
  }

  /** Writes the operation down, has the worker end everything, and sees that the outcome is recorded. */
  async #stopNow(
    session: Session,
    kind: "stop" | "remove",
    step: string = STEP_STRICT,
  ): Promise<StopResult | undefined> {
    const { registry, reach, graceMs } = this.#options;
    await this.#mustBeReachable(session);
    // An operation of a daemon that is gone is kept when it fails again: it is tried until it succeeds.
    const isInherited = session.operation !== undefined;
    this.#begin(session, kind, step);
    reach(`${kind}:recorded`);
    try {
      const result = await session.link?.client.stop({ grace_ms: graceMs });
      reach("stop:ended");
      await this.#untilEnded(session);
      reach("stop:stored");
      return result;
    } catch (cause) {
      if (hasEnded(session.record)) {
        return undefined;
      }
      if (!isInherited) {
        registry.note(session, null);
      }
      throw cause;
    }
  }

  #begin(session: Session, kind: "stop" | "remove", step: string): void {
    const { registry, now } = this.#options;
    if (session.operation?.kind !== kind || session.operation.step !== step) {
      registry.note(session, { sessionId: session.id, kind, step, attempts: 0, startedAt: now().toISOString() });
    }
  }

  /** Waits a moment for a worker that is being reconnected; refuses what no daemon may touch. */
  async #mustBeReachable(session: Session): Promise<void> {
    const check = (): true | undefined => {
      const { state } = session.record.runtime;
      if (state === "conflict") {
        throw protocolError("session_runtime_conflict");
      }
      if (state === "incompatible") {
        throw protocolError("worker_protocol_incompatible");
      }
      return session.link?.isConnected || hasEnded(session.record) ? true : undefined;
    };
    const isReachable = await this.#options.changes.until(session.id, check, { timeoutMs: RECONNECT_MS });
    if (!isReachable) {
      throw protocolError("session_runtime_reconnecting");
    }
  }

  async #untilEnded(session: Session): Promise<void> {
    const check = (): true | undefined => (hasEnded(session.record) ? true : undefined);
    const hasIt = await this.#options.changes.until(session.id, check, { timeoutMs: OUTCOME_MS });
    if (!hasIt) {
      throw protocolError("session_exit_timeout");
    }
  }

  async #removeNow(session: Session, isAccepting: boolean): Promise<RemoveOutcome> {
    const { registry, reach, endLeftovers, deleteFiles } = this.#options;
    const step = isAccepting ? STEP_ACCEPTING : STEP_STRICT;
    const wasRunning = !hasEnded(session.record);
    let stopped: StopResult | undefined;
    if (wasRunning) {
      stopped = await this.#stopNow(session, "remove", step);
    } else {
      this.#begin(session, "remove", step);
      reach("remove:recorded");
    }
    // A worker that has just swept and found nothing left needs no second sweep.
    const leftovers = stopped?.confirmed ? NOTHING_LEFT : await endLeftovers(keyOf(session));
    if (!isAccepting && !areConfirmed(leftovers)) {
      registry.note(session, null);
      throw unconfirmed(leftovers);
    }
    reach("remove:stopped");
    await this.#dropWorker(session);
    reach("remove:released");
    deleteFiles(session);
    reach("remove:cleaned");
    registry.remove(session, "session_removed");
    reach("remove:stored");
    return { stopped: wasRunning, accepted: [...leftovers.survivors, ...leftovers.skipped] };
  }

  /** The session's worker ends, and what it left is removed. Fails, to be tried again later, when it does not end. */
  async #dropWorker(session: Session): Promise<void> {
    const { ended, supervisor, platform, retries } = this.#options;
    await ended.release(session);
    const key = keyOf(session);
    if (!(await retireWorker({ supervisor, processes: platform.processes, key, deadlineMs: WORKER_END_MS }))) {
      retries.begin(session.id, () => this.#tryToFinish(session));
      throw protocolError("session_exit_timeout", { message: "the session's worker does not end; it is tried again" });
    }
  }
}

function unconfirmed({ survivors, skipped }: Leftovers): Error {
  const count = survivors.length + skipped.length;
  const what =
    count === 0
      ? "it is not certain that no process of the session lives on"
      : `${count} processes of the session live on`;
  return protocolError("session_exit_timeout", {
    message: `${what}, so it was stopped but not removed`,
    recover: "pohunek session rm --accept-unconfirmed-cleanup",
  });
}
