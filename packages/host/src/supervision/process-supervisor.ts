import { rmSync } from "node:fs";
import { isProtocolError, socketPathFault } from "@pohunek/protocol/wire";
import type { Logger } from "../logs/logger.ts";
import type { Platform } from "../platform/index.ts";
import { journalDir, journalPath, workerRuntimeDir, workerSocketPath } from "../worker-api/paths.ts";
import { workerError } from "../worker-api/worker-error.ts";
import { discoverWorkers, hasJournals, inspectWorker } from "./discover-workers.ts";
import type { StartedWorker, Supervisor, WorkerJob, WorkerKey, WorkerProgram, WorkerSighting } from "./supervisor.ts";
import type { WorkerLauncher } from "./worker-launcher.ts";

export interface ProcessSupervisorOptions {
  readonly backend: Supervisor["backend"];
  readonly launcher: WorkerLauncher;
  readonly platform: Platform;
  readonly program: WorkerProgram;
  readonly log: Logger;
}

/** Workers as plain processes, found again by what they leave on disk and what the kernel says of it. */
export class ProcessSupervisor implements Supervisor {
  readonly backend: Supervisor["backend"];
  readonly #options: ProcessSupervisorOptions;

  constructor(options: ProcessSupervisorOptions) {
    this.backend = options.backend;
    this.#options = options;
  }

  async start({ signal, ...key }: WorkerJob): Promise<StartedWorker> {
    const { launcher, program } = this.#options;
    const socketPath = workerSocketPath(program.runtimeRoot, key.sessionId);
    const fault = socketPathFault(socketPath);
    if (fault !== undefined) {
      throw workerError("worker_socket_path_invalid", fault);
    }
    const deadline = AbortSignal.timeout(program.readyMs);
    try {
      await launcher.launch(key, signal ? AbortSignal.any([signal, deadline]) : deadline);
    } catch (cause) {
      if (deadline.aborted && !isProtocolError(cause)) {
        const message = `The session's worker was not ready within ${program.readyMs} ms.`;
        throw workerError("worker_exited_before_ready", message, { cause });
      }
      throw cause;
    }
    return { ...key, socketPath };
  }

  async discover(): Promise<readonly WorkerSighting[]> {
    return discoverWorkers(this.#options);
  }

  async inspect(key: Pick<WorkerKey, "sessionId" | "workerId">): Promise<WorkerSighting | undefined> {
    return inspectWorker(this.#options, key);
  }

  async retire(key: Pick<WorkerKey, "sessionId" | "workerId">): Promise<void> {
    const sighting = await this.inspect(key);
    if (sighting?.kind === "worker" && sighting.life !== "dead") {
      throw workerError("worker_invalid_state", "The session's worker is not proven dead.");
    }
    const { runtimeRoot, stateRoot } = this.#options.program;
    rmSync(journalPath(stateRoot, key), { force: true });
    // Another generation of the session owns the socket when it left a journal.
    if (!hasJournals(stateRoot, key.sessionId)) {
      rmSync(journalDir(stateRoot, key.sessionId), { recursive: true, force: true });
      rmSync(workerRuntimeDir(runtimeRoot, key.sessionId), { recursive: true, force: true });
    }
    this.#options.log.info("worker_retired", { session_id: key.sessionId, worker_id: key.workerId });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#options.launcher[Symbol.asyncDispose]();
  }
}
