import type { AgentRuntime } from "@pohunek/protocol";
import type { ProtocolError } from "@pohunek/protocol/wire";
import { isProtocolError } from "@pohunek/protocol/wire";
import type { Agent, Agents } from "./agents.ts";
import { SHELL_RUNTIME } from "./agents.ts";
import { findProgram } from "./probe/find-program.ts";
import type { VersionProbes } from "./probe/version-probes.ts";
import { faultText } from "./probe/version-probes.ts";

export interface InventoryOptions {
  readonly agents: Agents;
  readonly probes: VersionProbes;
}

/** Everything that a session of this host may be started with, and why not where it may not: the one list of that. */
export async function listAgents(options: InventoryOptions): Promise<readonly AgentRuntime[]> {
  return await Promise.all(options.agents.names.map((name) => describe(name, options)));
}

async function describe(name: string, options: InventoryOptions): Promise<AgentRuntime> {
  const { agents } = options;
  try {
    const agent = agents.find(name);
    const row = { ...identityOf(agent), config_home_id: agents.configHomeId(agent) };
    try {
      agents.findForLaunch(name);
      return { ...row, ...(await lookAtProgram(agent, options)) };
    } catch (cause) {
      return { ...row, ...unavailable(ours(cause)) };
    }
  } catch (cause) {
    return { agent: name, agent_base: agents.baseOf(name), ...unavailable(ours(cause)) };
  }
}

function identityOf({ name, definition, file }: Agent): Omit<AgentRuntime, "available"> {
  return {
    agent: name,
    agent_base: file === undefined ? definition.id : file.profile.base,
    display_name: definition.displayName,
    proven_with: definition.provenWith,
    // Nobody wants to get one of his accounts by chance.
    preference: file === undefined ? definition.preference : undefined,
  };
}

async function lookAtProgram(agent: Agent, { agents, probes }: InventoryOptions): Promise<Omit<AgentRuntime, "agent">> {
  const { definition } = agent;
  const { program: wanted } = agents.effectiveLaunch(agent);
  const path = agents.environmentOf(agent).get("PATH") ?? "";
  const program = findProgram(wanted, path);
  const result = await probes.look({ definition, program, path });
  const found = { available: true, path: program.path };
  if (result === undefined || definition.versionProbe === undefined) {
    return definition.id === SHELL_RUNTIME ? { ...found, supported: true } : found;
  }
  const { version, fault } = result;
  if (fault === undefined) return { ...found, version, supported: true };
  return {
    ...found,
    version,
    supported: false,
    reason_code: "agent_runtime_unsupported",
    reason: faultText(result, definition.versionProbe),
  };
}

function unavailable({ code, message }: ProtocolError): Pick<AgentRuntime, "available" | "reason" | "reason_code"> {
  return { available: false, reason_code: code, reason: message };
}

function ours(cause: unknown): ProtocolError {
  if (isProtocolError(cause)) return cause;
  throw cause;
}
