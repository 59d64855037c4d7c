import type { AgentRuntime } from "@pohunek/protocol";
import type { Client } from "@pohunek/sdk";

/** The daemon asks each agent for its version when it has not yet done so: seconds on a machine that is busy. */
const ANSWER_TIMEOUT_MS = 60_000;

/** Everything that the host can start a session with. */
export async function listAgents(client: Client): Promise<readonly AgentRuntime[]> {
  const { runtimes } = await client.call("host.inspect", null, { timeoutMs: ANSWER_TIMEOUT_MS });
  return runtimes;
}
