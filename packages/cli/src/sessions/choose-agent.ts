import type { AgentRuntime } from "@pohunek/protocol";
import type { Client } from "@pohunek/sdk";
import { listAgents } from "./list-agents.ts";

/** The host says so, and does not say that its version is the wrong one. */
export function isLaunchable({ available, supported }: AgentRuntime): boolean {
  return available && supported !== false;
}

/** The installed agent that its host ranks first; undefined where sessions can run a shell only. */
export async function bestAgent(client: Client): Promise<AgentRuntime | undefined> {
  return bestOf(await listAgents(client));
}

export function bestOf(agents: readonly AgentRuntime[]): AgentRuntime | undefined {
  return byPreference(agents).find((agent) => isLaunchable(agent) && (agent.preference ?? 0) > 0);
}

/** The one that its host ranks first comes first. */
export function byPreference(agents: readonly AgentRuntime[]): readonly AgentRuntime[] {
  return agents.toSorted((one, other) => (other.preference ?? 0) - (one.preference ?? 0));
}

/** An agent as a sentence names it. */
export function agentName({ agent, display_name: name }: AgentRuntime): string {
  return name === undefined ? agent : `${name} (${agent})`;
}
