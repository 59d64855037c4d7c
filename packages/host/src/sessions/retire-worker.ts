import type { Supervisor, WorkerKey } from "../supervision/supervisor.ts";

/** A worker that was told to end has closed its socket already; its process is gone a few milliseconds later. */
const FIRST_LOOK_MS = 5;
const LAST_LOOK_MS = 200;

/**
 * Waits until a worker's process is proven gone, then removes what it left. False when that did not come true in
 * `deadlineMs`: it lives on, or the kernel does not say.
 */
export async function retireWhenDead(
  supervisor: Pick<Supervisor, "inspect" | "retire">,
  key: WorkerKey,
  deadlineMs: number,
): Promise<boolean> {
  const deadline = performance.now() + deadlineMs;
  for (let wait = FIRST_LOOK_MS; ; wait = Math.min(wait * 2, LAST_LOOK_MS)) {
    const sighting = await supervisor.inspect(key);
    if (sighting === undefined) {
      return true;
    }
    if (sighting.kind === "worker" && sighting.life === "dead") {
      await supervisor.retire(key);
      return true;
    }
    if (performance.now() + wait > deadline) {
      return false;
    }
    await Bun.sleep(wait);
  }
}
