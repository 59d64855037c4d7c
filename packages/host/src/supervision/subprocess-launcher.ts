import type { Subprocess } from "bun";
import type { WorkerKey, WorkerProgram } from "./supervisor.ts";
import { WORKER_ENVIRONMENT } from "./worker-environment.ts";
import type { WorkerLauncher } from "./worker-launcher.ts";
import { READY_FD, readReadiness, workerArgv } from "./worker-launcher.ts";

const EXEC = `exec "$@" ${READY_FD}>&1 >/dev/null 2>&1 </dev/null`;

/** Workers that are children of the daemon and end with it: for tests and containers. */
export class SubprocessLauncher implements WorkerLauncher {
  readonly #program: WorkerProgram;
  readonly #workers = new Set<Subprocess>();

  constructor(program: WorkerProgram) {
    this.#program = program;
  }

  async launch(key: WorkerKey, signal: AbortSignal): Promise<void> {
    const program = this.#program;
    const argv = workerArgv({ program, key, endWithParent: process.pid });
    const worker = Bun.spawn(["/bin/sh", "-c", EXEC, "sh", ...argv], {
      cwd: "/",
      env: { ...WORKER_ENVIRONMENT, ...program.env },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "ignore",
    });
    this.#workers.add(worker);
    void worker.exited.then(() => this.#workers.delete(worker));
    await readReadiness(worker.stdout, signal);
  }

  /** A worker ends its program in order when it is told to. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const worker of this.#workers) {
      worker.kill("SIGTERM");
    }
    await Promise.all([...this.#workers].map((worker) => worker.exited));
  }
}
