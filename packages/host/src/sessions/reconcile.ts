import type { SessionId } from "@pohunek/protocol/wire";
import type { Logger } from "../store/logger.ts";
import { failureFields } from "../store/logger.ts";
import type { Operation } from "../store/operation.ts";
import type { UnreadableRow } from "../store/session-row.ts";
import type { Store } from "../store/store.ts";
import type { Supervisor, WorkerSighting } from "../supervision/supervisor.ts";
import type { Changes } from "./changes.ts";
import type { SessionEnder } from "./end-session.ts";
import { canTransit, hasEnded } from "./lifecycle.ts";
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
  readonly changes: Changes;
  readonly log: Logger;
}

export interface ReconcileReport {
  readonly unreadable: readonly UnreadableRow[];
  /** Operations whose session is missing: kept, told, never acted on. */
  readonly strayOperations: readonly Operation[];
}

/** How long the start waits for the workers that are alive to answer. Those that need longer are shown reconnecting. */
const CONNECT_MS = 3000;

type Worker = WorkerSighting & { readonly kind: "worker" };

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
  const workers = bySession(await supervisor.discover(), log);
  const waits = sessions.map((session) => take(session, workers.get(session.id) ?? [], options));
  await Promise.all(waits);
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

function bySession(sightings: readonly WorkerSighting[], log: Logger): Map<SessionId, Worker[]> {
  const workers = new Map<SessionId, Worker[]>();
  for (const sighting of sightings) {
    if (sighting.kind === "worker") {
      const { sessionId } = sighting.key;
      workers.set(sessionId, [...(workers.get(sessionId) ?? []), sighting]);
    } else if (sighting.kind === "unusable") {
      const { claimedSessionId, reason, schema } = sighting;
      log.warn("worker_journal_unusable", {
        session_id: claimedSessionId,
        reason,
        schema,
        hint: "the worker, if it lives, is left alone; see session.runtime_inventory",
      });
    } else {
      log.warn("worker_without_journal", { session_id: sighting.claimedSessionId });
    }
  }
  return workers;
}

/** Brings one session into the state that the facts say, and goes on with what was begun. */
async function take(session: Session, workers: readonly Worker[], options: ReconcileOptions): Promise<void> {
  const { watch, registry, log } = options;
  const { runtimeId } = session.record.runtime;
  const own = workers.find(({ key }) => key.runtimeId === runtimeId);
  const strangers = workers.filter((worker) => worker !== own && worker.life !== "dead");
  if (strangers.length > 0 && canTransit(session.record, "conflicted")) {
    log.warn("runtime_conflict", { session_id: session.id, workers: strangers.length + (own ? 1 : 0) });
    const runtime = { lossReason: "duplicate_worker" };
    registry.observe(session, "conflicted", { runtime, announce: "session_runtime_conflict" });
    return;
  }
  if (own !== undefined && own.life !== "dead") {
    await meet(session, options);
  } else if (session.operation?.kind === "create") {
    await options.rollBack.begin(session);
  } else if (!hasEnded(session.record)) {
    await watch.dead(session, own === undefined ? "worker_missing" : "worker_died");
  } else if (own !== undefined) {
    await options.supervisor.retire(own.key);
  }
  finish(session, options);
}

/** Connects to a worker that lives, for a bounded time; after that the daemon starts, and the link goes on trying. */
async function meet(session: Session, { watch, registry, rollBack, changes, log }: ReconcileOptions): Promise<void> {
  const link = watch.follow(session);
  link.start();
  const isDecided = (): true | undefined => (link.isConnected || link.isOver ? true : undefined);
  const hasAnswered = await changes.until(session.id, isDecided, { timeoutMs: CONNECT_MS });
  if (!hasAnswered) {
    log.warn("worker_not_answering", { session_id: session.id });
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
  if (session.operation !== undefined && session.operation.kind !== "create") {
    log.info("operation_resumed", { session_id: session.id, kind: session.operation.kind });
    ender.resume(session).catch((cause: unknown) => {
      log.error("operation_not_resumed", { session_id: keyOf(session).sessionId, ...failureFields(cause) });
    });
  }
}
