import type { Platform, RunState } from "../platform/index.ts";
import type { RuntimeRecord, WorkerProcessRecord } from "../store/session-record.ts";
import type { Supervisor, WorkerKey, WorkerLife } from "../supervision/supervisor.ts";
import type { Inspection, ProcessIdentity } from "../worker-api/inspection.ts";

export interface LifeEvidence {
  readonly supervisor: Pick<Supervisor, "inspect">;
  readonly platform: Pick<Platform, "processes">;
}

/**
 * Whether a worker that does not answer is dead: by its own journal where that can be read, else by the process that the
 * store knows. Without either nobody knows, and nothing may be signalled.
 */
export async function judgeLife(
  { supervisor, platform }: LifeEvidence,
  key: WorkerKey,
  runtime: RuntimeRecord,
): Promise<WorkerLife> {
  const sighting = await supervisor.inspect(key);
  if (sighting?.kind === "worker" && sighting.key.runtimeId === key.runtimeId) {
    return sighting.life;
  }
  return runtime.worker === undefined ? "unknown" : judgeProcess(platform, runtime.worker);
}

/** Whether the process that a session's record names still lives. */
export function judgeProcess({ processes }: LifeEvidence["platform"], worker: WorkerProcessRecord): WorkerLife {
  if (processes.bootId() !== worker.bootId) {
    return "dead";
  }
  return processes.read(worker.pid)?.startIdentity === worker.startIdentity ? "alive" : "dead";
}

/** What the kernel says that this process does. Undefined when it is gone. */
export function runStateOf(
  { processes }: LifeEvidence["platform"],
  worker: ProcessIdentity | undefined,
): RunState | undefined {
  const facts = worker === undefined ? undefined : processes.read(worker.pid);
  return facts?.startIdentity === worker?.start_identity ? facts?.run : undefined;
}

export function workerProcessOf({ worker }: Inspection): WorkerProcessRecord {
  return { pid: worker.pid, startIdentity: worker.start_identity, bootId: worker.boot_id };
}
