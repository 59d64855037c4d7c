import type { ClipboardPolicy, ErrorCode, WorkerId } from "@pohunek/protocol/wire";
import { isWorkerInstanceId, newUlid, newWorkerInstanceId, protocolError } from "@pohunek/protocol/wire";
import type { Logger } from "../logs/logger.ts";
import { failureFields } from "../logs/logger.ts";
import type { NativeLaunch } from "../store/native-launch.ts";
import type { Operation } from "../store/operation.ts";
import type { RuntimeRecord } from "../store/session-record.ts";
import type { Supervisor, WorkerKey } from "../supervision/supervisor.ts";
import type { LaunchSpec } from "../worker-api/launch-spec.ts";
import type { Retries } from "./backoff.ts";
import type { DropWorkerOptions } from "./drop-worker.ts";
import { dropWorker } from "./drop-worker.ts";
import type { EndNewWorkerOptions } from "./end-new-worker.ts";
import { endNewWorker } from "./end-new-worker.ts";
import type { EndLeftovers } from "./leftovers.ts";
import { areConfirmed } from "./leftovers.ts";
import type { Registry } from "./registry.ts";
import type { Session } from "./session.ts";
import { beginProgram, runtimeFactsOf, startProgram } from "./start-program.ts";
import type { ReachStep } from "./steps.ts";
import type { WorkerWatch } from "./worker-watch.ts";
import { keyOf } from "./worker-watch.ts";

/** What the new generation runs. Its folder and size are the session's. */
export interface Relaunch {
  readonly argv: readonly string[];
  /** The file to run, where the first of `argv` is no more than the name that it is called by. */
  readonly executable?: string;
  readonly hooks?: LaunchSpec["hooks"];
  readonly env: Readonly<Record<string, string>>;
  readonly clipboard: ClipboardPolicy;
  /** What is frozen from now on, where the owner accepted that it changes. */
  readonly nativeLaunch?: NativeLaunch;
}

export interface RecoverOptions extends DropWorkerOptions, EndNewWorkerOptions {
  readonly registry: Registry;
  readonly supervisor: Supervisor;
  readonly watch: WorkerWatch;
  readonly endLeftovers: EndLeftovers;
  readonly retries: Retries;
  /** What is the same for all sessions of the host. */
  readonly common: Pick<LaunchSpec, "umask" | "history_bytes" | "max_cols" | "max_rows">;
  readonly reach: ReachStep;
  readonly log: Logger;
  readonly now: () => Date;
}

type NewWorker = Pick<RuntimeRecord, "generation" | "workerId" | "runtimeId">;

/**
 * Takes up the conversation of a session that has ended: a new generation of the same session. Its record stays that of
 * the end until the new program runs, so a failure, or a crash of the daemon, leaves the session as it was.
 */
export class SessionRecoverer {
  readonly #options: RecoverOptions;
  readonly #running = new Set<Promise<void>>();
  #isClosed = false;

  constructor(options: RecoverOptions) {
    this.#options = options;
  }

  /** `prepare` decides what to run, when it is certain that nothing of the session runs. */
  async recover(session: Session, prepare: () => Promise<Relaunch>): Promise<void> {
    const recovery = session.lifecycle.run(async () => {
      if (this.#isClosed) {
        throw protocolError("daemon_shutting_down");
      }
      if (this.#options.registry.find(session.id) !== session) {
        throw protocolError("session_not_found");
      }
      refuseUnlessEnded(session);
      await this.#recover(session, await prepare());
    });
    this.#running.add(recovery);
    try {
      await recovery;
    } finally {
      this.#running.delete(recovery);
    }
  }

  /** Refuses further ones and waits for the running ones to succeed or to be taken back. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#running);
  }

  async #recover(session: Session, relaunch: Relaunch): Promise<void> {
    const { registry, reach, log, now } = this.#options;
    const at = now();
    const worker: NewWorker = {
      generation: session.record.runtime.generation + 1,
      workerId: `k-${newUlid(at.getTime())}` as WorkerId,
      runtimeId: newWorkerInstanceId(at.getTime()),
    };
    registry.ensureStored(session);
    registry.note(session, operationOf(session, worker, at));
    reach("resume:recorded");
    let hasBegun = false;
    try {
      await this.#clear(session);
      reach("resume:released");
      hasBegun = true;
      await this.#start(session, { worker, relaunch });
    } catch (cause) {
      log.warn("session_not_recovered", { session_id: session.id, ...failureFields(cause) });
      await (hasBegun ? this.takeBack(session) : this.#forget(session));
      throw cause;
    }
  }

  /** The former generation: its worker, which kept the last screen, and whatever its program left running. */
  async #clear(session: Session): Promise<void> {
    const { endLeftovers } = this.#options;
    const leftovers = await endLeftovers(keyOf(session));
    if (!areConfirmed(leftovers)) {
      throw protocolError("session_exit_timeout", {
        message: "processes of the session's former run live on, so it was not resumed",
      });
    }
    if (!(await dropWorker(session, this.#options))) {
      throw protocolError("session_exit_timeout", { message: "the session's former worker does not end" });
    }
    session.live = undefined;
  }

  async #start(session: Session, { worker, relaunch }: { worker: NewWorker; relaunch: Relaunch }): Promise<void> {
    const { registry, supervisor, watch, controller, common, reach, now } = this.#options;
    const { cwd, cols, rows, program: name } = session.record;
    const { argv, executable, hooks, env, clipboard, nativeLaunch } = relaunch;
    const program = await startProgram({
      supervisor,
      controller,
      key: { sessionId: session.id, ...worker },
      spec: { argv, executable, hooks, env, cwd, cols, rows, clipboard, ...common },
      reach: (step) => reach(`resume:${step}`),
    });
    try {
      registry.move(session, "recovered", {
        runtime: { ...worker, ...runtimeFactsOf(program.inspection, now()) },
        nativeLaunch,
        operation: null,
        announce: "session_native_recovered",
        audit: { program: name, generation: worker.generation },
      });
      reach("resume:stored");
      beginProgram(session, program, watch);
    } catch (cause) {
      await program.client[Symbol.asyncDispose]();
      throw cause;
    }
  }

  /** Ends what a resume had started, now or as soon as that works. The session stays as it ended. */
  async takeBack(session: Session): Promise<void> {
    if (!(await this.#tryToTakeBack(session))) {
      this.#options.retries.begin(session.id, () => this.#tryToTakeBack(session));
    }
  }

  async #tryToTakeBack(session: Session): Promise<boolean> {
    const { operation } = session;
    const key = operation === undefined ? undefined : newWorkerOf(session, operation);
    try {
      if (key !== undefined && !(await endNewWorker(key, this.#options))) {
        return false;
      }
      this.#forget(session);
      return true;
    } catch (cause) {
      this.#options.log.warn("recovery_not_taken_back", { session_id: session.id, ...failureFields(cause) });
      return false;
    }
  }

  #forget(session: Session): void {
    this.#options.registry.intend(session, null);
  }
}

/** Only what has certainly ended is started again: a conversation that two programs write is lost. */
function refuseUnlessEnded({ record, operation }: Session): void {
  const { state } = record.runtime;
  const refusals: Partial<Record<typeof state, ErrorCode>> = {
    starting: "session_not_terminal",
    live: "session_not_terminal",
    reconnecting: "session_runtime_reconnecting",
    incompatible: "worker_protocol_incompatible",
    conflict: "session_runtime_conflict",
  };
  const refusal = refusals[state];
  if (refusal !== undefined) {
    throw protocolError(refusal);
  }
  // Something that was begun with the ended session is still being finished.
  if (operation !== undefined) {
    throw protocolError("session_runtime_commit_stale");
  }
}

/** The step of a resume names its worker: that is all a later daemon needs to find out how far it came. */
function operationOf(session: Session, { workerId, runtimeId }: NewWorker, at: Date): Operation {
  const step = `${workerId}/${runtimeId}`;
  return { sessionId: session.id, kind: "resume", step, attempts: 0, startedAt: at.toISOString() };
}

/** The worker that an unfinished resume was to start; undefined for what no release of ours wrote. */
export function newWorkerOf({ record, id }: Session, { kind, step }: Operation): WorkerKey | undefined {
  const [workerId, runtimeId] = step.split("/");
  if (kind !== "resume" || workerId === undefined || !isWorkerInstanceId(runtimeId)) {
    return undefined;
  }
  return { sessionId: id, generation: record.runtime.generation + 1, workerId: workerId as WorkerId, runtimeId };
}
