import type { AgentRuntime } from "@pohunek/protocol";
import { command } from "../command-line/command.ts";
import { connectHost } from "../connection/connect-host.ts";
import type { CommandContext } from "../context.ts";
import { plainText } from "../output/plain-text.ts";
import { tableLook } from "../output/table-look.ts";
import { agentTable } from "../sessions/agent-table.ts";
import { agentName, bestOf } from "../sessions/choose-agent.ts";
import { listAgents } from "../sessions/list-agents.ts";

export const agents = command({
  name: "agents",
  summary: "List the agents that sessions can be started with, and why not",
  isDaily: true,
  details: [
    "PROVEN is the version that an agent's package was tried with; another one that the package allows is started too.",
    "Profiles are files in ~/.config/pohunek/agents: an agent with arguments and variables of your own.",
  ],
  flags: {},
  async run(context) {
    await using client = await connectHost(context, { startsDaemon: true });
    const found = await listAgents(client);
    return {
      ok: found,
      human: () => `${agentTable(found, tableLook(context)).join("\n")}\n\n${choiceText(context, bestOf(found))}`,
    };
  },
});

function choiceText({ settings }: CommandContext, best: AgentRuntime | undefined): string {
  const what = best === undefined ? "your shell: no agent is installed" : plainText(agentName(best));
  return `${settings.programName()} run starts ${what}.\n`;
}
