import type { AnnouncedEvent } from "@pohunek/protocol";
import type { DaemonId } from "@pohunek/protocol/wire";
import type { RuntimeSource } from "../agents/runtime-definition.ts";
import { removeSessionLogs } from "../logs/log-files.ts";
import type { Logger } from "../logs/logger.ts";
import type { Platform } from "../platform/index.ts";
import { endGeneration } from "../platform/index.ts";
import type { AgentOf } from "../sessions/agent-of.ts";
import { agentFinder } from "../sessions/agent-of.ts";
import { Retries } from "../sessions/backoff.ts";
import { Changes } from "../sessions/changes.ts";
import { SessionCreator } from "../sessions/create-session.ts";
import { SessionEnder } from "../sessions/end-session.ts";
import { EndedWorkers } from "../sessions/ended-workers.ts";
import { HookReports } from "../sessions/hook-reports.ts";
import { Inventory } from "../sessions/inventory.ts";
import type { EndLeftovers } from "../sessions/leftovers.ts";
import { NativeReferences } from "../sessions/native-references.ts";
import { Prompts } from "../sessions/prompts.ts";
import { ReceiptBook } from "../sessions/receipt-book.ts";
import type { ReconcileReport } from "../sessions/reconcile.ts";
import { reconcile } from "../sessions/reconcile.ts";
import { SessionRecoverer } from "../sessions/recover-session.ts";
import { Registry } from "../sessions/registry.ts";
import { RollBack } from "../sessions/roll-back.ts";
import { RollCall } from "../sessions/roll-call.ts";
import { runtimeOf } from "../sessions/runtime-of.ts";
import type { Session } from "../sessions/session.ts";
import { SessionInputs } from "../sessions/session-inputs.ts";
import type { ReachStep } from "../sessions/steps.ts";
import type { ViewersListener } from "../sessions/worker-watch.ts";
import { WorkerWatch } from "../sessions/worker-watch.ts";
import { AuditLog } from "../store/audit-log.ts";
import type { Store } from "../store/store.ts";
import type { Supervisor } from "../supervision/supervisor.ts";
import { logDir } from "../worker-api/paths.ts";
import { openManifests } from "./agent-folders.ts";
import type { Roots } from "./roots.ts";
import type { Settings } from "./settings.ts";

export interface SessionCoreOptions {
  readonly roots: Roots;
  readonly settings: Settings;
  readonly store: Store;
  readonly supervisor: Supervisor;
  readonly platform: Platform;
  readonly daemonId: DaemonId;
  readonly runtimes: RuntimeSource;
  readonly home: string;
  readonly viewers: ViewersListener;
  /** File mode creation mask of sessions' programs: the one that this daemon was started with. */
  readonly programUmask: number;
  readonly announce: (event: AnnouncedEvent) => void;
  readonly reach: ReachStep;
  readonly log: Logger;
  readonly now: () => Date;
}

/** Everything that has to do with sessions, wired together; no listener and no request belongs to it. */
export class SessionCore implements AsyncDisposable {
  readonly registry: Registry;
  readonly changes = new Changes();
  readonly creator: SessionCreator;
  readonly ender: SessionEnder;
  readonly recoverer: SessionRecoverer;
  readonly references: NativeReferences;
  readonly inputs: SessionInputs;
  readonly prompts: Prompts;
  readonly book: ReceiptBook;
  readonly agentOf: AgentOf;
  readonly inventory: Inventory;
  readonly #options: SessionCoreOptions;
  readonly #retries = new Retries();
  readonly #watch: WorkerWatch;
  readonly #rollBack: RollBack;
  readonly #rollCall: RollCall;

  constructor(options: SessionCoreOptions) {
    const { roots, settings, store, daemonId, runtimes } = options;
    this.#options = options;
    const common = {
      ...options,
      changes: this.changes,
      retries: this.#retries,
      controller: daemonId,
      runtimeRoot: roots.runtime,
      answerMs: settings.workerAnswerMs,
      endLeftovers: leftoversEnder(options),
    };
    const audit = new AuditLog(`${roots.data}/events`, store, options.now);
    const registry = new Registry({ ...common, audit });
    const isStored = (session: Session): boolean => registry.isStored(session);
    const ended = new EndedWorkers({ ...common, keep: settings.workerKeepEnded, isStored });
    const references = new NativeReferences({ ...common, registry });
    const uid = options.platform.self.uid();
    const manifests = openManifests(roots, { uid, runtimes });
    const hooks = new HookReports({ ...common, registry, references });
    const watch = new WorkerWatch({ ...common, registry, ended, references, hooks, manifests });
    const deleteFiles = (session: Session): void => removeSessionLogs(logDir(roots.state), uid, session.id);
    const rollBack = new RollBack({ ...common, registry, deleteFiles });
    this.registry = registry;
    this.#rollCall = new RollCall(common.answerMs, registry);
    this.#watch = watch;
    this.#rollBack = rollBack;
    const ofAll = {
      umask: options.programUmask,
      history_bytes: settings.outputRingBytes,
      max_cols: settings.terminalMaxCols,
      max_rows: settings.terminalMaxRows,
    };
    this.creator = new SessionCreator({ ...common, registry, watch, rollBack, common: ofAll });
    this.recoverer = new SessionRecoverer({ ...common, registry, ended, watch, common: ofAll });
    this.ender = new SessionEnder({
      ...common,
      registry,
      ended,
      watch,
      deleteFiles,
      graceMsOf: (session) => Math.max(settings.workerStopGraceMs, runtimeOf(session, runtimes)?.stop.graceMs ?? 0),
    });
    const { inputTimeoutMs: timeoutMs } = settings;
    this.agentOf = agentFinder(options.runtimes);
    const ofInputs = { ...common, agentOf: this.agentOf, timeoutMs };
    this.inputs = new SessionInputs({ ...ofInputs, epoch: daemonId });
    this.book = new ReceiptBook({ ...common, receipts: store.receipts });
    this.prompts = new Prompts({ ...ofInputs, inputs: this.inputs, book: this.book });
    this.inventory = new Inventory({ ...common, registry });
    this.references = references;
  }

  /** Joins store and workers. Nobody is served before this is done. */
  async reconcile(): Promise<ReconcileReport> {
    const { store, supervisor, log, now } = this.#options;
    const report = await reconcile({
      store,
      registry: this.registry,
      supervisor,
      watch: this.#watch,
      rollBack: this.#rollBack,
      ender: this.ender,
      recoverer: this.recoverer,
      changes: this.changes,
      log,
      now,
    });
    this.prompts.recover((id) => this.registry.find(id));
    return report;
  }

  /** Lets running creations end, stores what is not stored, and lets go of all workers: they run on. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#rollCall[Symbol.dispose]();
    this.prompts[Symbol.dispose]();
    this.references[Symbol.dispose]();
    await Promise.all([this.creator.close(), this.recoverer.close()]);
    await this.#retries[Symbol.asyncDispose]();
    const sessions = [...this.registry.all];
    await Promise.all(sessions.map(letGo));
    this.book[Symbol.dispose]();
    this.registry[Symbol.dispose]();
  }
}

async function letGo(session: Session): Promise<void> {
  session.activity?.[Symbol.dispose]();
  await session.link?.[Symbol.asyncDispose]();
}

function leftoversEnder({ platform, settings }: SessionCoreOptions): EndLeftovers {
  return async ({ sessionId, workerId, runtimeId }) => {
    const { survivors, unclear } = await endGeneration({
      processes: platform.processes,
      marks: { sessionId, workerId, runtimeId },
      except: [process.pid],
      graceMs: settings.workerStopGraceMs,
    });
    const describe = (facts: (typeof survivors)[number]) => ({
      pid: facts.pid,
      start_identity: facts.startIdentity,
      program: facts.program,
    });
    return { survivors: survivors.map(describe), skipped: unclear.map(describe), isCertain: true };
  };
}
