import type { ProcessCalls } from "../platform/index.ts";
import type { Supervisor, WorkerKey } from "../supervision/supervisor.ts";
import type { ProcessIdentity } from "../worker-api/inspection.ts";

/** A worker that was told to end has closed its socket already; its process is gone a few milliseconds later. */
const FIRST_LOOK_MS = 2;
const LAST_LOOK_MS = 200;

export interface RetireOptions {
  readonly supervisor: Pick<Supervisor, "inspect" | "retire">;
  readonly processes: Pick<ProcessCalls, "read">;
  readonly key: WorkerKey;
  readonly deadlineMs: number;
  /** The worker's process, where it is known by other means than its journal. */
  readonly worker?: ProcessIdentity;
  /** Asks the worker to end. Its process is known by then: it takes its journal away when it ends in order. */
  readonly askToEnd?: () => Promise<void>;
}

/**
 * Has a worker end, waits until it is proven gone, and removes what it left. False when that did not come true in
 * `deadlineMs`: it lives on, or nobody can say.
 */
export async function retireWorker(options: RetireOptions): Promise<boolean> {
  const { supervisor, processes, key, deadlineMs, askToEnd } = options;
  const before = await supervisor.inspect(key);
  await askToEnd?.();
  const worker = before?.kind === "worker" ? before.journal.worker : options.worker;
  const isGone = async (): Promise<boolean> => {
    if (worker !== undefined) {
      return processes.read(worker.pid)?.startIdentity !== worker.start_identity;
    }
    // Its process was never known: then the end of all that it shows is what can be had.
    return (await supervisor.inspect(key)) === undefined;
  };
  if (!(await comesTrue(isGone, deadlineMs))) {
    return false;
  }
  await supervisor.retire(key);
  return true;
}

async function comesTrue(look: () => Promise<boolean>, deadlineMs: number): Promise<boolean> {
  const deadline = performance.now() + deadlineMs;
  for (let wait = FIRST_LOOK_MS; ; wait = Math.min(wait * 2, LAST_LOOK_MS)) {
    if (await look()) {
      return true;
    }
    if (performance.now() + wait > deadline) {
      return false;
    }
    await Bun.sleep(wait);
  }
}
