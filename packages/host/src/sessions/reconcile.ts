import type { Logger } from "../logs/logger.ts";
import { failureFields } from "../logs/logger.ts";
import type { Operation, OperationKind } from "../store/operation.ts";
import type { UnreadableRow } from "../store/session-row.ts";
import type { Store } from "../store/store.ts";
import type { Supervisor, WorkerSighting } from "../supervision/supervisor.ts";
import type { Changes } from "./changes.ts";
import type { SessionEnder } from "./end-session.ts";
import { finishRecovery } from "./finish-recovery.ts";
import { hasEnded } from "./lifecycle.ts";
import type { SessionRecoverer } from "./recover-session.ts";
import type { Registry } from "./registry.ts";
import type { RollBack } from "./roll-back.ts";
import type { Session } from "./session.ts";
import type { WorkerWatch } from "./worker-watch.ts";
import { keyOf } from "./worker-watch.ts";

export interface ReconcileOptions {
  readonly store: Pick<Store, "loadSessions" | "loadOperations">;
  readonly registry: Registry;
  readonly supervisor: Pick<Supervisor, "discover" | "retire">;
  readonly watch: WorkerWatch;
  readonly rollBack: RollBack;
  readonly ender: SessionEnder;
  readonly recoverer: SessionRecoverer;
  readonly changes: Changes;
  readonly log: Logger;
  readonly now: () => Date;
}

export interface ReconcileReport {
  readonly unreadable: readonly UnreadableRow[];
  /** Operations whose session is missing: kept, told, never acted on. */
  readonly strayOperations: readonly Operation[];
}

/** How long the start waits for the workers that are alive to answer. Those that need longer are shown reconnecting. */
const CONNECT_MS = 3000;

/** Operations that are finished where the session's worker is met. */
const NOT_ENDING: readonly OperationKind[] = ["create", "resume"];

type Worker = WorkerSighting & { readonly kind: "worker" };
type Unclear = Exclude<WorkerSighting, { kind: "worker" }>;

/** What was found of one session's workers. */
interface Traces {
  readonly workers: Worker[];
  /** Journals that can't be used and sockets without one: evidence of nothing, and a reason to be careful. */
  readonly unclear: Unclear[];
}

/**
 * Joins what the store says with the workers that are there, before the daemon serves anybody: sessions whose worker lives
 * are taken up again, those whose worker is proven dead are lost, and what an earlier daemon had begun is finished.
 */
export async function reconcile(options: ReconcileOptions): Promise<ReconcileReport> {
  const { store, registry, supervisor, log } = options;
  const startedAt = performance.now();
  const { records, unreadable } = store.loadSessions();
  for (const { id, reason } of unreadable) {
    log.warn("session_row_unreadable", {
      session_id: id,
      reason,
      hint: "the row is kept; mend it or delete it with sqlite3",
    });
  }
  const operations = new Map(store.loadOperations().map((operation) => [operation.sessionId, operation]));
  const sessions = records.map((record) => registry.adopt(record, operations.get(record.id)));
  for (const { id } of records.filter(({ brokenLaunch }) => brokenLaunch !== undefined)) {
    const hint = "it can't be resumed or forked; everything else works";
    log.warn("native_launch_broken", { session_id: id, hint });
  }
  const traces = bySession(await supervisor.discover());
  const nothing: Traces = { workers: [], unclear: [] };
  await Promise.all(sessions.map((session) => take(session, traces.get(session.id) ?? nothing, options)));
  tellUnclear(traces, options);
  const strayOperations = [...operations.values()].filter(
    (operation) => registry.find(operation.sessionId) === undefined,
  );
  log.info("reconciled", {
    sessions: sessions.length,
    unreadable: unreadable.length,
    stray_operations: strayOperations.length,
    after_ms: Math.round(performance.now() - startedAt),
  });
  return { unreadable, strayOperations };
}

function bySession(sightings: readonly WorkerSighting[]): Map<string, Traces> {
  const found = new Map<string, Traces>();
  for (const sighting of sightings) {
    const sessionId = sighting.kind === "worker" ? sighting.key.sessionId : sighting.claimedSessionId;
    const traces = found.get(sessionId) ?? { workers: [], unclear: [] };
    found.set(sessionId, traces);
    if (sighting.kind === "worker") {
      traces.workers.push(sighting);
    } else {
      traces.unclear.push(sighting);
    }
  }
  return found;
}

function tellUnclear(traces: ReadonlyMap<string, Traces>, { log }: ReconcileOptions): void {
  const hint = "the worker, if it lives, is left alone; see session.runtime_inventory";
  for (const sighting of [...traces.values()].flatMap(({ unclear }) => unclear)) {
    const session_id = sighting.claimedSessionId;
    if (sighting.kind === "unusable") {
      log.warn("worker_journal_unusable", { session_id, reason: sighting.reason, schema: sighting.schema, hint });
    } else {
      log.warn("worker_without_journal", { session_id, hint });
    }
  }
}

/** Brings one session into the state that the facts say, and goes on with what was begun. */
async function take(session: Session, { workers, unclear }: Traces, options: ReconcileOptions): Promise<void> {
  const { watch } = options;
  if (session.operation?.kind === "resume") {
    await finishRecovery(session, workers, options);
  }
  const { runtimeId } = session.record.runtime;
  const own = workers.find(({ key }) => key.runtimeId === runtimeId);
  const isAnotherAlive = workers.some((worker) => worker !== own && worker.life !== "dead");
  const other = unclear.find((sighting) => sighting.kind === "unusable");
  if (isAnotherAlive) {
    watch.quarantine(session, "conflicted", "duplicate_worker");
    return;
  }
  if (own === undefined && other?.schema !== undefined && !hasEnded(session.record)) {
    watch.quarantine(session, "incompatible", "journal_schema_unsupported");
    return;
  }
  if (hasEnded(session.record)) {
    await meetEnded(session, own, options);
  } else {
    await takeRunning(session, { own, hasTraces: workers.length + unclear.length > 0 }, options);
  }
  finish(session, options);
}

/** The program has ended before: its worker is kept for what can still be read, or cleaned up after. */
async function meetEnded(session: Session, own: Worker | undefined, options: ReconcileOptions): Promise<void> {
  if (own?.life === "dead") {
    await options.supervisor.retire(own.key);
  } else if (own !== undefined) {
    await meet(session, options);
  }
}

async function takeRunning(
  session: Session,
  { own, hasTraces }: { own: Worker | undefined; hasTraces: boolean },
  options: ReconcileOptions,
): Promise<void> {
  const { watch, rollBack } = options;
  const isCreation = session.operation?.kind === "create";
  const life = own?.life ?? (await watch.judgeLife(session));
  // A creation that left no trace at all had not come to start a worker.
  if (life !== "dead" && (hasTraces || !isCreation)) {
    await meet(session, options);
  } else if (isCreation) {
    await rollBack.begin(session);
  } else {
    await watch.dead(session, own === undefined ? "worker_missing" : "worker_died");
  }
}

/** Connects to a worker that lives, for a bounded time; after that the daemon starts, and the link goes on trying. */
async function meet(session: Session, { watch, registry, rollBack, changes, log }: ReconcileOptions): Promise<void> {
  const link = watch.follow(session);
  link.start();
  const isDecided = (): true | undefined => (link.isConnected || link.isOver ? true : undefined);
  const hasAnswered = await changes.until(session.id, isDecided, { timeoutMs: CONNECT_MS });
  if (!hasAnswered) {
    watch.silent(session);
  }
  if (session.operation?.kind === "create") {
    await finishCreate(session, { registry, rollBack, log });
  }
}

/** A daemon died while it created this session: it lives when its program had been started, else it is taken back. */
async function finishCreate(
  session: Session,
  options: Pick<ReconcileOptions, "registry" | "rollBack" | "log">,
): Promise<void> {
  const { registry, rollBack, log } = options;
  if (session.record.runtime.state === "starting") {
    await rollBack.begin(session);
    return;
  }
  registry.note(session, null);
  log.info("create_finished_by_restart", { session_id: session.id });
}

function finish(session: Session, { ender, log }: ReconcileOptions): void {
  if (session.operation !== undefined && !NOT_ENDING.includes(session.operation.kind)) {
    log.info("operation_resumed", { session_id: session.id, kind: session.operation.kind });
    ender.resume(session).catch((cause: unknown) => {
      log.error("operation_not_resumed", { session_id: keyOf(session).sessionId, ...failureFields(cause) });
    });
  }
}
