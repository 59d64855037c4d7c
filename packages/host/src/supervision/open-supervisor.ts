import type { Logger } from "../logs/logger.ts";
import type { Platform } from "../platform/index.ts";
import { DetachedLauncher } from "./detached-launcher.ts";
import { ProcessSupervisor } from "./process-supervisor.ts";
import { StandbyLauncher } from "./standby-launcher.ts";
import { SubprocessLauncher } from "./subprocess-launcher.ts";
import type { Supervisor, WorkerProgram } from "./supervisor.ts";
import type { WorkerLauncher } from "./worker-launcher.ts";

export interface SupervisorOptions {
  readonly backend: Supervisor["backend"];
  readonly platform: Platform;
  readonly program: WorkerProgram;
  readonly log: Logger;
  /** How many workers are started in advance; only `detached` does that. */
  readonly standbyWorkers: number;
}

/** The supervisor that the configuration names. */
export function openSupervisor(options: SupervisorOptions): Supervisor {
  const { backend, platform, program, log } = options;
  return new ProcessSupervisor({ backend, launcher: openLauncher(options), platform, program, log });
}

function openLauncher({ backend, platform, program, log, standbyWorkers }: SupervisorOptions): WorkerLauncher {
  if (backend === "subprocess") {
    return new SubprocessLauncher(program);
  }
  const fallback = new DetachedLauncher(program);
  return standbyWorkers > 0
    ? new StandbyLauncher({ program, platform, log, fallback, count: standbyWorkers })
    : fallback;
}
