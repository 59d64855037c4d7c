import type { ClipboardPolicy, NameClash, SessionId, WorkerId } from "@pohunek/protocol/wire";
import { newSessionId, newUlid, newWorkerInstanceId, protocolError } from "@pohunek/protocol/wire";
import type { Launch } from "../agents/launch.ts";
import type { Logger } from "../logs/logger.ts";
import { failureFields } from "../logs/logger.ts";
import type { SessionRecord } from "../store/session-record.ts";
import type { Supervisor } from "../supervision/supervisor.ts";
import type { LaunchSpec } from "../worker-api/launch-spec.ts";
import { claimName } from "./claim-name.ts";
import type { Registry } from "./registry.ts";
import type { RollBack } from "./roll-back.ts";
import type { Session } from "./session.ts";
import { beginProgram, runtimeFactsOf, startProgram } from "./start-program.ts";
import type { ReachStep } from "./steps.ts";
import type { WorkerWatch } from "./worker-watch.ts";
import { keyOf } from "./worker-watch.ts";

export interface CreateRequest {
  readonly launch: Launch;
  readonly name?: string;
  readonly nameClash: NameClash;
  readonly cwd: string;
  readonly cols: number;
  readonly rows: number;
  readonly metadata: Readonly<Record<string, string>>;
  readonly clipboard: ClipboardPolicy;
  /** The environment of the program, for the id that the session gets. */
  readonly environment: (sessionId: SessionId) => Readonly<Record<string, string>>;
}

export interface CreateOptions {
  readonly registry: Registry;
  readonly supervisor: Supervisor;
  readonly watch: WorkerWatch;
  readonly rollBack: RollBack;
  readonly controller: string;
  /** What is the same for all sessions of the host. */
  readonly common: Pick<LaunchSpec, "umask" | "history_bytes" | "max_cols" | "max_rows">;
  readonly reach: ReachStep;
  readonly log: Logger;
  readonly now: () => Date;
}

/** Starts new sessions. Each is on disk before its worker is started, so a crash at any point leaves something to finish. */
export class SessionCreator {
  readonly #options: CreateOptions;
  readonly #running = new Set<Promise<Session>>();
  #isClosed = false;

  constructor(options: CreateOptions) {
    this.#options = options;
  }

  /** Fails with daemon_shutting_down, or with what kept the program from starting; then nothing of the session is left. */
  async create(request: CreateRequest): Promise<Session> {
    if (this.#isClosed) {
      throw protocolError("daemon_shutting_down");
    }
    const creation = this.#create(request);
    this.#running.add(creation);
    try {
      return await creation;
    } finally {
      this.#running.delete(creation);
    }
  }

  /** Refuses further creations and waits for the running ones to succeed or to be rolled back. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#running);
  }

  async #create(request: CreateRequest): Promise<Session> {
    const { registry, reach, rollBack, log } = this.#options;
    const record = this.#newRecord(request);
    const startedAt = record.createdAt;
    const operation = { sessionId: record.id, kind: "create", step: "recorded", attempts: 0, startedAt } as const;
    const session = registry.add(record, operation);
    reach("create:recorded");
    try {
      await this.#start(session, request);
      return session;
    } catch (cause) {
      log.warn("session_not_created", { session_id: record.id, ...failureFields(cause) });
      await rollBack.begin(session);
      throw cause;
    }
  }

  #newRecord(request: CreateRequest): SessionRecord {
    const { launch, name, nameClash: clash, cwd, cols, rows, metadata } = request;
    const at = this.#options.now();
    return {
      id: newSessionId(at.getTime()),
      name: name === undefined ? undefined : claimName(this.#options.registry.all, { name, clash }),
      agent: launch.agent,
      agentBase: launch.agentBase,
      launch: launch.kind,
      program: launch.program,
      cwd,
      cols,
      rows,
      state: "starting",
      runtime: {
        state: "starting",
        generation: 1,
        workerId: `k-${newUlid(at.getTime())}` as WorkerId,
        runtimeId: newWorkerInstanceId(at.getTime()),
      },
      nativeLaunch: launch.nativeLaunch,
      nativeReference: launch.nativeReference,
      metadata,
      warnings: [],
      createdAt: at.toISOString(),
      updatedAt: at.toISOString(),
    };
  }

  async #start(session: Session, request: CreateRequest): Promise<void> {
    const { supervisor, registry, watch, controller, common, reach, now } = this.#options;
    const { launch, cwd, cols, rows, environment, clipboard } = request;
    const { argv, executable, hooks } = launch;
    const spec = { argv, executable, hooks, env: environment(session.id), cwd, cols, rows, clipboard, ...common };
    const key = keyOf(session);
    const program = await startProgram({ supervisor, controller, key, spec, reach: (step) => reach(`create:${step}`) });
    try {
      registry.move(session, "started", {
        runtime: runtimeFactsOf(program.inspection, now()),
        operation: null,
        announce: "session_created",
        audit: { program: launch.program },
      });
      reach("create:stored");
      beginProgram(session, program, watch);
    } catch (cause) {
      await program.client[Symbol.asyncDispose]();
      throw cause;
    }
  }
}
