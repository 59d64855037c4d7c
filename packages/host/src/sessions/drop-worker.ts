import { settlesWithin } from "../worker-api/within.ts";
import type { EndedWorkers } from "./ended-workers.ts";
import type { ForceOptions } from "./force-worker.ts";
import { killWorker } from "./force-worker.ts";
import type { RetireOptions } from "./retire-worker.ts";
import { retireWorker } from "./retire-worker.ts";
import type { Session } from "./session.ts";
import { keyOf } from "./worker-watch.ts";

export interface DropWorkerOptions extends Omit<ForceOptions, "graceMs" | "supervisor"> {
  readonly supervisor: RetireOptions["supervisor"];
  readonly ended: Pick<EndedWorkers, "release">;
  /** How long the worker may say nothing before it is killed. */
  readonly answerMs: number;
}

const WORKER_END_MS = 5000;

/** Ends the worker of a session whose program has ended, and removes what it left. False when it does not end. */
export async function dropWorker(session: Session, options: DropWorkerOptions): Promise<boolean> {
  const { ended, supervisor, platform, answerMs } = options;
  const hasAnswered = await settlesWithin(ended.release(session), answerMs);
  const isReleased = hasAnswered && session.link === undefined;
  const key = keyOf(session);
  const retire = async (deadlineMs: number): Promise<boolean> =>
    await retireWorker({ supervisor, processes: platform.processes, key, deadlineMs });
  if (await retire(isReleased ? WORKER_END_MS : 0)) {
    return true;
  }
  const { link } = session;
  session.link = undefined;
  await link?.[Symbol.asyncDispose]();
  return (await killWorker(session, options)) && (await retire(WORKER_END_MS));
}
