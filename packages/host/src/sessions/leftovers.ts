import type { WorkerKey } from "../supervision/supervisor.ts";
import type { SurvivingProcess } from "../worker-api/operations.ts";

/** What still runs of a generation whose program has ended, after it was asked and forced to end. */
export interface Leftovers {
  /** Outlived SIGKILL. */
  readonly survivors: readonly SurvivingProcess[];
  /** Carry the session's marker without that of the generation: never signalled. */
  readonly skipped: readonly SurvivingProcess[];
  /** The search itself was complete. */
  readonly isCertain: boolean;
}

export const NOTHING_LEFT: Leftovers = { survivors: [], skipped: [], isCertain: true };

/** Ends what a generation has left running, and tells what could not be ended. */
export type EndLeftovers = (key: WorkerKey) => Promise<Leftovers>;

/** Nothing is left, for certain. */
export function areConfirmed({ survivors, skipped, isCertain }: Leftovers): boolean {
  return isCertain && survivors.length === 0 && skipped.length === 0;
}
