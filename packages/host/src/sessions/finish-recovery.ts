import type { WorkerSighting } from "../supervision/supervisor.ts";
import type { SessionRecoverer } from "./recover-session.ts";
import { newWorkerOf } from "./recover-session.ts";
import type { Registry } from "./registry.ts";
import type { Session } from "./session.ts";

type Worker = Extract<WorkerSighting, { kind: "worker" }>;

export interface FinishOptions {
  readonly registry: Registry;
  readonly recoverer: SessionRecoverer;
  readonly now: () => Date;
}

/**
 * A daemon died while it resumed this session. Where the new worker had started the program, the session has been
 * recovered, whatever became of it since; else it stays as it ended, and what was begun is taken back.
 */
export async function finishRecovery(
  session: Session,
  workers: readonly Worker[],
  { registry, recoverer, now }: FinishOptions,
): Promise<void> {
  const key = session.operation === undefined ? undefined : newWorkerOf(session, session.operation);
  const worker = workers.find((candidate) => candidate.key.runtimeId === key?.runtimeId);
  if (key === undefined || worker === undefined) {
    // It had not come to start a worker.
    registry.intend(session, null);
    return;
  }
  if (worker.journal.phase === "waiting") {
    await recoverer.takeBack(session);
    return;
  }
  const { journal } = worker;
  const { workerId, runtimeId, generation } = key;
  // It has happened, whether or not the disk takes it.
  registry.observe(session, "recovered", {
    runtime: {
      workerId,
      runtimeId,
      generation,
      startedAt: new Date(journal.started_at_ms).toISOString(),
      lastConnectedAt: now().toISOString(),
      childPid: journal.child?.pid,
      worker: {
        pid: journal.worker.pid,
        startIdentity: journal.worker.start_identity,
        bootId: journal.worker.boot_id,
      },
    },
    operation: null,
    announce: "session_native_recovered",
  });
  // Not met yet.
  registry.observe(session, "disconnected");
}
