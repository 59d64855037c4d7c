import { isProtocolError } from "@pohunek/protocol/wire";
import type { Logger } from "../logs/logger.ts";
import type { Platform } from "../platform/index.ts";
import type { Supervisor, WorkerKey } from "../supervision/supervisor.ts";
import { WorkerClient } from "../worker-api/client.ts";
import { workerSocketPath } from "../worker-api/paths.ts";
import { within } from "../worker-api/within.ts";
import { retireWorker } from "./retire-worker.ts";

export interface EndNewWorkerOptions {
  readonly supervisor: Pick<Supervisor, "inspect" | "retire">;
  readonly platform: Pick<Platform, "processes">;
  readonly controller: string;
  readonly runtimeRoot: string;
  readonly log: Logger;
}

/** How long one try waits for the worker's end. */
const ENDING_MS = 3000;
/** How long one try waits for the worker to end a program that it may have started. */
const STOP_MS = 10_000;

/** Ends a worker of a start that failed, and what it may have started. False when it is not proven ended: try again. */
export async function endNewWorker(key: WorkerKey, options: EndNewWorkerOptions): Promise<boolean> {
  const { supervisor, platform } = options;
  const askToEnd = (): Promise<void> => stopWorker(key, options);
  return await retireWorker({ supervisor, processes: platform.processes, key, deadlineMs: ENDING_MS, askToEnd });
}

/** Asks the worker to end what it started, and itself. One that can't be reached ends at its own deadline. */
async function stopWorker(key: WorkerKey, { controller, runtimeRoot, log }: EndNewWorkerOptions): Promise<void> {
  try {
    const socketPath = workerSocketPath(runtimeRoot, key.sessionId);
    await using client = await WorkerClient.connect(socketPath, { connectMs: ENDING_MS });
    if (client.hello.runtime_id !== key.runtimeId) {
      return;
    }
    await within(endOverSocket(client, controller), { ms: STOP_MS });
  } catch (cause) {
    if (!isProtocolError(cause)) {
      throw cause;
    }
    log.debug("worker_not_stopped", { session_id: key.sessionId, code: cause.code });
  }
}

async function endOverSocket(client: WorkerClient, controller: string): Promise<void> {
  await client.acquireController(controller);
  if ((await client.inspect()).phase !== "waiting") {
    await client.stop();
  }
  await client.acknowledgeTerminal();
}
