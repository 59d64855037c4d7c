import { bootstrapArgs } from "../worker-api/bootstrap.ts";
import { workerError } from "../worker-api/worker-error.ts";
import type { WorkerKey, WorkerProgram } from "./supervisor.ts";
import { WORKER_ENVIRONMENT } from "./worker-environment.ts";

/** How a backend turns a key into a process. */
export interface WorkerLauncher extends AsyncDisposable {
  /** Resolves when the worker's socket accepts. Fails with worker_exited_before_ready. */
  launch(key: WorkerKey, signal: AbortSignal): Promise<void>;
}

/** Descriptor on which a worker tells that it accepts; 0, 1 and 2 are pointed at the null device first. */
export const READY_FD = 3;

/** Longest line read from a starting worker; it is one short JSON object at most. */
const READY_LINE_BYTES = 8192;

export interface LaunchArguments {
  readonly program: WorkerProgram;
  readonly key: WorkerKey;
  /** Pid of the process that the worker must not outlive. */
  readonly endWithParent?: number;
}

/**
 * Starts the worker in the background and goes away, so the worker has no parent among our processes; being no group
 * leader, it can make its own session. The shell's standard output becomes the worker's readiness pipe.
 */
const DETACH = `"$@" ${READY_FD}>&1 >/dev/null 2>&1 </dev/null &`;

/** Starts this program as a worker without a parent. `extra` becomes its descriptor 4. */
export function spawnDetached(program: WorkerProgram, options: readonly string[], extra: number | "ignore" = "ignore") {
  const argv = [program.executable, ...program.leadingArgs, ...options];
  return Bun.spawn(["/bin/sh", "-c", DETACH, "sh", ...argv], {
    cwd: "/",
    env: { ...WORKER_ENVIRONMENT, ...program.env },
    stdio: ["ignore", "pipe", "ignore", "ignore", extra],
  });
}

export function workerArgv(launch: LaunchArguments): string[] {
  return [launch.program.executable, ...launch.program.leadingArgs, ...workerOptions(launch)];
}

/** The worker's own arguments. */
export function workerOptions({ program, key, endWithParent }: LaunchArguments): string[] {
  return bootstrapArgs({
    identity: {
      session_id: key.sessionId,
      worker_id: key.workerId,
      runtime_id: key.runtimeId,
      generation: key.generation,
    },
    runtimeRoot: program.runtimeRoot,
    stateRoot: program.stateRoot,
    readyFd: READY_FD,
    endWithParent,
  });
}

/**
 * Waits for the one line of a starting worker: `ready`, or why it gave up. The end of the pipe without a line means that
 * it died.
 */
export async function readReadiness(pipe: ReadableStream<Uint8Array>, signal: AbortSignal): Promise<void> {
  const line = await readLine(pipe, signal);
  if (line !== "ready") {
    throw workerError("worker_exited_before_ready", describeEnd(line));
  }
}

async function readLine(pipe: ReadableStream<Uint8Array>, signal: AbortSignal): Promise<string> {
  const reader = pipe.getReader();
  const abandoned = Promise.withResolvers<never>();
  const onAbort = (): void => abandoned.reject(signal.reason as Error);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    signal.throwIfAborted();
    const decoder = new TextDecoder();
    let text = "";
    while (!text.includes("\n") && text.length < READY_LINE_BYTES) {
      const { done, value } = await Promise.race([reader.read(), abandoned.promise]);
      if (done) {
        break;
      }
      text += decoder.decode(value, { stream: true });
    }
    return text.split("\n", 1)[0] ?? "";
  } finally {
    signal.removeEventListener("abort", onAbort);
    await reader.cancel();
  }
}

/** A worker that fails says `{"code","message"}`. */
function describeEnd(line: string): string {
  try {
    const { code, message } = JSON.parse(line) as { code?: unknown; message?: unknown };
    return `The session's worker could not start: ${String(message)} (${String(code)})`;
  } catch {
    // Not JSON: it said nothing of use.
    return "The session's worker ended before it was ready.";
  }
}
