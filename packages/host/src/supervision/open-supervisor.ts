import type { Platform } from "../platform/index.ts";
import type { Logger } from "../store/logger.ts";
import { DetachedLauncher } from "./detached-launcher.ts";
import { ProcessSupervisor } from "./process-supervisor.ts";
import { SubprocessLauncher } from "./subprocess-launcher.ts";
import type { Supervisor, WorkerProgram } from "./supervisor.ts";

export interface SupervisorOptions {
  readonly backend: Supervisor["backend"];
  readonly platform: Platform;
  readonly program: WorkerProgram;
  readonly log: Logger;
}

/** The supervisor that the configuration names. */
export function openSupervisor({ backend, platform, program, log }: SupervisorOptions): Supervisor {
  const launcher = backend === "detached" ? new DetachedLauncher(program) : new SubprocessLauncher(program);
  return new ProcessSupervisor({ backend, launcher, platform, program, log });
}
