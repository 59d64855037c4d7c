import type { WorkerKey, WorkerProgram } from "./supervisor.ts";
import { WORKER_ENVIRONMENT } from "./worker-environment.ts";
import type { WorkerLauncher } from "./worker-launcher.ts";
import { DETACH, readReadiness, workerArgv } from "./worker-launcher.ts";

/** Workers that outlive the daemon on a host without a service manager. */
export class DetachedLauncher implements WorkerLauncher {
  readonly #program: WorkerProgram;

  constructor(program: WorkerProgram) {
    this.#program = program;
  }

  async launch(key: WorkerKey, signal: AbortSignal): Promise<void> {
    const program = this.#program;
    const shell = Bun.spawn(["/bin/sh", "-c", DETACH, "sh", ...workerArgv({ program, key })], {
      cwd: "/",
      env: { ...WORKER_ENVIRONMENT, ...program.env },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "ignore",
    });
    await readReadiness(shell.stdout, signal);
    await shell.exited;
  }

  /** Nothing to do: outliving us is what these workers are for. */
  async [Symbol.asyncDispose](): Promise<void> {}
}
