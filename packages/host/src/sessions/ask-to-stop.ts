import { protocolError } from "@pohunek/protocol/wire";
import type { WorkerClient } from "../worker-api/client.ts";
import type { StopResult } from "../worker-api/operations.ts";
import { settlesWithin } from "../worker-api/within.ts";

export interface AskToStopOptions {
  readonly graceMs: number;
  /** A worker that says nothing for so long is taken to hang. */
  readonly answerMs: number;
}

/** A worker that is at it needs no more than this beyond the grace: it kills in five rounds of two seconds. */
const ENDING_MS = 20_000;

/**
 * Has the worker end its program. Undefined when it has stopped answering: a worker that is busy with the end, or with
 * much else, still answers what it is asked in between.
 */
export async function askToStop(
  client: Pick<WorkerClient, "stop" | "inspect">,
  { graceMs, answerMs }: AskToStopOptions,
): Promise<StopResult | undefined> {
  const deadline = performance.now() + graceMs + ENDING_MS;
  const answer = client.stop({ grace_ms: graceMs });
  while (performance.now() < deadline) {
    const isAnswering = settlesWithin(client.inspect(), answerMs);
    if (await settlesWithin(answer, answerMs)) {
      return await answer;
    }
    if (!(await isAnswering)) {
      return undefined;
    }
  }
  throw protocolError("session_exit_timeout");
}
