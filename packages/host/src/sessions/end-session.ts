import { isProtocolError, protocolError } from "@pohunek/protocol/wire";
import type { Logger } from "../logs/logger.ts";
import { failureFields } from "../logs/logger.ts";
import type { Platform } from "../platform/index.ts";
import type { Supervisor } from "../supervision/supervisor.ts";
import type { StopResult, SurvivingProcess } from "../worker-api/operations.ts";
import { askToStop } from "./ask-to-stop.ts";
import type { Retries } from "./backoff.ts";
import type { Changes } from "./changes.ts";
import { dropWorker } from "./drop-worker.ts";
import type { EndedWorkers } from "./ended-workers.ts";
import { forceWorker } from "./force-worker.ts";
import type { EndLeftovers, Leftovers } from "./leftovers.ts";
import { areConfirmed, NOTHING_LEFT } from "./leftovers.ts";
import { hasEnded } from "./lifecycle.ts";
import type { Registry } from "./registry.ts";
import type { Session } from "./session.ts";
import type { ReachStep } from "./steps.ts";
import type { WorkerWatch } from "./worker-watch.ts";
import { keyOf } from "./worker-watch.ts";

export interface EndOptions {
  readonly registry: Registry;
  readonly supervisor: Pick<Supervisor, "inspect" | "retire">;
  readonly platform: Pick<Platform, "processes">;
  readonly ended: EndedWorkers;
  readonly watch: Pick<WorkerWatch, "dead" | "follow">;
  readonly changes: Changes;
  /** Between asking a session's processes to end and killing them. */
  readonly graceMsOf: (session: Session) => number;
  /** How long a worker may say nothing before a stop or remove ends its processes and itself. */
  readonly answerMs: number;
  readonly endLeftovers: EndLeftovers;
  /** Deletes the session's files: its worker's log. */
  readonly deleteFiles: (session: Session) => void;
  readonly reach: ReachStep;
  readonly retries: Retries;
  readonly log: Logger;
  readonly now: () => Date;
}

export interface StopOutcome {
  /** False while the disk refuses the outcome: it is known to the daemon and stored later. */
  readonly isStored: boolean;
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

/** How long a stop waits for the worker's report after the grace and the kill. */
const OUTCOME_MS = 10_000;

/** Stops and removes sessions. Each operation is on disk before it acts, and can be finished by the next daemon. */
export class SessionEnder {
  readonly #options: EndOptions;

  constructor(options: EndOptions) {
    this.#options = options;
  }

  /** Ends the session's program and all it started. A session that has ended already is left as it is. */
  async stop(session: Session): Promise<StopOutcome> {
    return await session.lifecycle.run(async () => {
      this.#mustExist(session);
      if (!hasEnded(session.record)) {
        await this.#stopNow(session, "stop");
      }
      return { isStored: this.#options.registry.isStored(session) };
    });
  }

  /** Ends the session and deletes it. Fails with session_exit_timeout when processes live on and that is not accepted. */
  async remove(session: Session, isAccepting: boolean): Promise<RemoveOutcome> {
    return await session.lifecycle.run(async () => {
      this.#mustExist(session);
      if (session.operation?.kind === "resume") {
        // What it had started is still being taken back.
        throw protocolError("session_runtime_commit_stale");
      }
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
          registry.intend(session, null);
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
    const { registry, reach, answerMs } = this.#options;
    const isReachable = await this.#isReachable(session, answerMs);
    // An operation of a daemon that is gone is kept when it fails again: it is tried until it succeeds.
    const isInherited = session.operation !== undefined;
    this.#begin(session, kind, step);
    reach(`${kind}:recorded`);
    try {
      const result = isReachable ? await this.#askToStop(session) : await this.#force(session);
      reach("stop:ended");
      await this.#untilEnded(session);
      reach("stop:stored");
      return result;
    } catch (cause) {
      if (hasEnded(session.record)) {
        return undefined;
      }
      if (!isInherited) {
        registry.intend(session, null);
      }
      throw cause;
    }
  }

  async #askToStop(session: Session): Promise<StopResult | undefined> {
    const { answerMs, graceMsOf } = this.#options;
    const deadline = performance.now() + answerMs;
    for (;;) {
      const { link } = session;
      if (link === undefined || hasEnded(session.record)) {
        return undefined;
      }
      let result: StopResult | undefined;
      try {
        result = await askToStop(link.client, { answerMs, graceMs: graceMsOf(session) });
      } catch (cause) {
        if (!isLost(cause)) {
          throw cause;
        }
        // The connection was given up meanwhile. The worker has as much time as it would have had on it.
        const leftMs = deadline - performance.now();
        if (leftMs > 0 && (await this.#isReachable(session, leftMs))) {
          continue;
        }
      }
      return result ?? (await this.#force(session));
    }
  }

  /** The worker does not answer: its program and itself are ended by what the kernel says they are. */
  async #force(session: Session): Promise<undefined> {
    const { watch, graceMsOf, log } = this.#options;
    if (hasEnded(session.record)) {
      return;
    }
    log.warn("worker_unresponsive", { session_id: session.id });
    const { link } = session;
    session.link = undefined;
    await link?.[Symbol.asyncDispose]();
    if (await forceWorker(session, { ...this.#options, graceMs: graceMsOf(session) })) {
      await watch.dead(session, "worker_unresponsive");
      return;
    }
    // Nothing is known for certain, or nothing helps: the daemon goes on trying to reach it.
    watch.follow(session).start();
    throw protocolError("session_runtime_reconnecting");
  }

  #begin(session: Session, kind: "stop" | "remove", step: string): void {
    const { registry, now } = this.#options;
    if (session.operation?.kind !== kind || session.operation.step !== step) {
      registry.intend(session, { sessionId: session.id, kind, step, attempts: 0, startedAt: now().toISOString() });
    }
  }

  /** Waits a moment for a worker that is being reconnected; false when it does not answer. Refuses what no daemon may touch. */
  async #isReachable(session: Session, timeoutMs: number): Promise<boolean> {
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
    const { changes } = this.#options;
    const isReachable = (await changes.until(session.id, check, { timeoutMs })) ?? false;
    if (!isReachable && session.link?.isHeldByAnother) {
      throw protocolError("session_runtime_reconnecting");
    }
    return isReachable;
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
      registry.intend(session, null);
      throw unconfirmed(leftovers);
    }
    reach("remove:stopped");
    // The worker may be the only other one that knows how its program ended.
    this.#write(session, () => registry.ensureStored(session));
    await this.#dropWorker(session);
    reach("remove:released");
    deleteFiles(session);
    reach("remove:cleaned");
    this.#write(session, () => registry.remove(session, "session_removed"));
    reach("remove:stored");
    return { stopped: wasRunning, accepted: [...leftovers.survivors, ...leftovers.skipped] };
  }

  /** Writes what the remove needs written. When the disk refuses, the session stays listed, and it is tried again. */
  #write(session: Session, write: () => void): void {
    try {
      write();
    } catch (cause) {
      this.#options.retries.begin(session.id, () => this.#tryToFinish(session));
      throw protocolError("io_error", {
        message: "the session has ended, but the session store can't be written, so it is removed when it can",
        recover: "Make room on the disk.",
        cause,
      });
    }
  }

  /** The session's worker ends, and what it left is removed. Fails, to be tried again later, when it does not end. */
  async #dropWorker(session: Session): Promise<void> {
    if (!(await dropWorker(session, this.#options))) {
      this.#options.retries.begin(session.id, () => this.#tryToFinish(session));
      throw protocolError("session_exit_timeout", { message: "the session's worker does not end; it is tried again" });
    }
  }
}

function isLost(cause: unknown): boolean {
  return isProtocolError(cause, "session_runtime_reconnecting") || isProtocolError(cause, "worker_connect_failed");
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
