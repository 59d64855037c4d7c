import type { AgentRuntime } from "@pohunek/protocol";
import type { Colour } from "../output/colour.ts";
import { plainText } from "../output/plain-text.ts";
import type { Cell, Column } from "../output/table.ts";
import { layOutTable } from "../output/table.ts";
import type { TableLook } from "../output/table-look.ts";
import { byPreference, isLaunchable } from "./choose-agent.ts";

const COLUMNS: readonly Column[] = [
  { title: "AGENT", minimum: 10 },
  { title: "RUNS", minimum: 8 },
  { title: "STATE", minimum: 14 },
  { title: "VERSION", minimum: 7 },
  { title: "PROVEN", minimum: 7 },
];

/** What people have to be told in few words; all else is told by a line of its own. */
const STATES: Readonly<Record<string, readonly [text: string, colour: Colour]>> = {
  agent_binary_missing: ["not installed", "dim"],
  agent_runtime_unsupported: ["unsupported", "yellow"],
  invalid_profile: ["invalid", "red"],
};

/** Agents as people read them: what can be started comes first, the best on top, then why the others can't. */
export function agentTable(agents: readonly AgentRuntime[], look: TableLook): string[] {
  const ranked = byPreference(agents);
  const ordered = [...ranked.filter(isLaunchable), ...ranked.filter((agent) => !isLaunchable(agent))];
  const table = layOutTable(COLUMNS, ordered.map(rowOf), look);
  const reasons = ordered.filter(needsReason).map(({ agent, reason = "" }) => `${agent}: ${reason}`);
  return reasons.length === 0 ? table : [...table, "", ...reasons.map(plainText)];
}

function rowOf(agent: AgentRuntime): Cell[] {
  const [state, colour] = stateOf(agent);
  const isProfile = agent.agent_base !== undefined && agent.agent_base !== agent.agent;
  const runs = isProfile ? `a profile of ${agent.agent_base}` : (agent.display_name ?? "");
  return [
    { text: plainText(agent.agent) },
    { text: plainText(runs) },
    { text: state, colour },
    { text: plainText(agent.version ?? "-") },
    { text: plainText(agent.proven_with ?? "-") },
  ];
}

function stateOf(agent: AgentRuntime): readonly [text: string, colour: Colour] {
  if (isLaunchable(agent)) return ["ready", "green"];
  return STATES[agent.reason_code ?? ""] ?? ["not available", "yellow"];
}

function needsReason(agent: AgentRuntime): boolean {
  return !isLaunchable(agent) && agent.reason_code !== "agent_binary_missing" && agent.reason !== undefined;
}
