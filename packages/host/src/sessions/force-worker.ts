import type { Platform, ProcessCalls } from "../platform/index.ts";
import { endGeneration } from "../platform/index.ts";
import type { Supervisor } from "../supervision/supervisor.ts";
import type { ProcessIdentity } from "../worker-api/inspection.ts";
import type { Session } from "./session.ts";
import { judgeProcess } from "./worker-life.ts";
import { keyOf } from "./worker-watch.ts";

export interface ForceOptions {
  readonly supervisor: Pick<Supervisor, "inspect">;
  readonly platform: Pick<Platform, "processes">;
  /** Between asking the program to end and killing it. */
  readonly graceMs: number;
}

interface WorkerProcesses {
  readonly worker: ProcessIdentity;
  /** The session's root process, while it has not been reaped. */
  readonly child: ProcessIdentity | undefined;
}

const POLL_MS = 10;
/** A killed process is torn down in milliseconds; one that hangs in the kernel never is. */
const KILLED_MS = 5000;

/**
 * Ends a session whose worker does not answer: the program's processes as a stop does it, then the worker itself. False
 * when it can't be told which process the worker is, so that nothing was signalled, or when it outlives SIGKILL.
 */
export async function forceWorker(session: Session, options: ForceOptions): Promise<boolean> {
  const found = await findProcesses(session, options);
  if (found === undefined) {
    return false;
  }
  const { platform, graceMs } = options;
  const { sessionId, workerId, runtimeId } = keyOf(session);
  const { worker, child } = found;
  await endGeneration({
    processes: platform.processes,
    marks: { sessionId, workerId, runtimeId },
    ...(child === undefined
      ? {}
      : { root: { pid: child.pid, startIdentity: child.start_identity }, session: child.pid }),
    except: [process.pid, worker.pid],
    graceMs,
  });
  return await kill(platform.processes, worker);
}

/** Kills the worker alone: its program has ended. */
export async function killWorker(session: Session, options: Omit<ForceOptions, "graceMs">): Promise<boolean> {
  const found = await findProcesses(session, options);
  return found !== undefined && (await kill(options.platform.processes, found.worker));
}

/** By the worker's own journal, else by what the daemon knows from its handshake; undefined when neither names a living one. */
async function findProcesses(
  session: Session,
  { supervisor, platform }: Omit<ForceOptions, "graceMs">,
): Promise<WorkerProcesses | undefined> {
  const key = keyOf(session);
  const { processes } = platform;
  const sighting = await supervisor.inspect(key);
  if (sighting?.kind === "worker" && sighting.key.runtimeId === key.runtimeId) {
    const { worker, child } = sighting.journal;
    return sighting.life === "alive" ? { worker, child: unreaped(processes, child) } : undefined;
  }
  const known = session.record.runtime.worker;
  if (known === undefined || judgeProcess(platform, known) !== "alive") {
    return undefined;
  }
  const worker = { pid: known.pid, start_identity: known.startIdentity };
  return { worker, child: unreaped(processes, session.live?.child) };
}

/** As long as the root was not reaped, its pid, which is also the number of its terminal session, can't be another's. */
function unreaped(
  processes: Pick<ProcessCalls, "startIdentity">,
  child: ProcessIdentity | undefined,
): ProcessIdentity | undefined {
  return child !== undefined && processes.startIdentity(child.pid) === child.start_identity ? child : undefined;
}

async function kill(processes: Pick<ProcessCalls, "signal" | "read">, worker: ProcessIdentity): Promise<boolean> {
  const { pid, start_identity: startIdentity } = worker;
  processes.signal({ pid, startIdentity }, "SIGKILL");
  const deadline = performance.now() + KILLED_MS;
  while (processes.read(pid)?.startIdentity === startIdentity) {
    if (performance.now() > deadline) {
      return false;
    }
    await Bun.sleep(POLL_MS);
  }
  return true;
}
