import type { WorkerKey, WorkerProgram } from "./supervisor.ts";
import type { WorkerLauncher } from "./worker-launcher.ts";
import { readReadiness, spawnDetached, workerOptions } from "./worker-launcher.ts";

/** Workers that outlive the daemon on a host without a service manager. */
export class DetachedLauncher implements WorkerLauncher {
  readonly #program: WorkerProgram;

  constructor(program: WorkerProgram) {
    this.#program = program;
  }

  async launch(key: WorkerKey, signal: AbortSignal): Promise<void> {
    const program = this.#program;
    const shell = spawnDetached(program, workerOptions({ program, key }));
    await readReadiness(shell.stdout, signal);
    await shell.exited;
  }

  /** Nothing to do: outliving us is what these workers are for. */
  async [Symbol.asyncDispose](): Promise<void> {}
}
