import type { ClipboardPolicy, NameClash, SessionId, WorkerId } from "@pohunek/protocol/wire";
import { newSessionId, newUlid, newWorkerInstanceId, protocolError } from "@pohunek/protocol/wire";
import type { Launch } from "../agents/launch.ts";
import type { Logger } from "../logs/logger.ts";
import { failureFields } from "../logs/logger.ts";
import type { SessionRecord } from "../store/session-record.ts";
import type { Supervisor } from "../supervision/supervisor.ts";
import { WorkerClient } from "../worker-api/client.ts";
import type { WorkerEvent } from "../worker-api/events.ts";
import type { LaunchSpec } from "../worker-api/launch-spec.ts";
import { within } from "../worker-api/within.ts";
import { claimName } from "./claim-name.ts";
import type { Registry } from "./registry.ts";
import type { RollBack } from "./roll-back.ts";
import type { Session } from "./session.ts";
import type { ReachStep } from "./steps.ts";
import { workerProcessOf } from "./worker-life.ts";
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

/** A new worker answers in milliseconds. One that does not in this time is given up, before the client gives up us. */
const ANSWER_MS = 10_000;

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
      metadata,
      warnings: [],
      createdAt: at.toISOString(),
      updatedAt: at.toISOString(),
    };
  }

  async #start(session: Session, request: CreateRequest): Promise<void> {
    const { supervisor, registry, watch, controller, common, reach, now } = this.#options;
    const { socketPath } = await supervisor.start(keyOf(session));
    reach("create:worker_started");
    const link = watch.follow(session);
    const early: WorkerEvent[] = [];
    let isStarted = false;
    const client = await WorkerClient.connect(socketPath, {
      onEvent: (event) => (isStarted ? link.handleEvent(event) : early.push(event)),
    });
    try {
      await within(client.acquireController(controller), { ms: ANSWER_MS });
      const { launch, cwd, cols, rows, environment, clipboard } = request;
      const spec = { argv: launch.argv, env: environment(session.id), cwd, cols, rows, clipboard, ...common };
      const inspection = await within(client.initialize(spec), { ms: ANSWER_MS });
      reach("create:initialized");
      const at = now().toISOString();
      registry.move(session, "started", {
        runtime: {
          startedAt: new Date(inspection.started_at_ms).toISOString(),
          lastConnectedAt: at,
          childPid: inspection.child?.pid,
          worker: workerProcessOf(inspection),
        },
        operation: null,
        announce: "session_created",
        audit: { program: launch.program },
      });
      reach("create:stored");
      isStarted = true;
      watch.begin(session, client, inspection);
      early.forEach((event) => link.handleEvent(event));
    } catch (cause) {
      await client[Symbol.asyncDispose]();
      throw cause;
    }
  }
}
