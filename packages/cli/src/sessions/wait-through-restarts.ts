import { isProtocolError } from "@pohunek/protocol/wire";
import type { Client } from "@pohunek/sdk";
import { isRestartFailure } from "../connection/restart-failure.ts";

type Condition = Parameters<Client["wait"]>[0];
type Waited = Awaited<ReturnType<Client["wait"]>>;

/** A restarting daemon is back within this time, or whoever waits has to be told. */
const WINDOW_MS = 20_000;
const STEP_MS = 500;

/** Waits for a session, also while its daemon restarts: what is waited for happens in the session, not in the daemon. */
export async function waitThroughRestarts(
  client: Client,
  condition: Condition,
  timeoutMs: number | undefined,
): Promise<Waited> {
  const deadline = timeoutMs === undefined ? undefined : performance.now() + timeoutMs;
  let lastSeen = performance.now();
  for (;;) {
    const startedAt = performance.now();
    try {
      const left = deadline === undefined ? {} : { timeoutMs: Math.max(1, Math.round(deadline - startedAt)) };
      return await client.wait(condition, left);
    } catch (error) {
      if (!isProtocolError(error) || !isRestartFailure(error)) throw error;
      const now = performance.now();
      // An attempt that went on for longer than a refusal takes had a daemon.
      if (now - startedAt > STEP_MS) lastSeen = now;
      if (now - lastSeen > WINDOW_MS || (deadline !== undefined && now >= deadline)) throw error;
    }
    await Bun.sleep(STEP_MS);
  }
}
