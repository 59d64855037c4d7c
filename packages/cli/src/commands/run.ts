import type { Client } from "@pohunek/sdk";
import { command } from "../command-line/command.ts";
import { usageError } from "../command-line/usage-error.ts";
import { connectHost } from "../connection/connect-host.ts";
import type { CommandContext } from "../context.ts";
import { plainText } from "../output/plain-text.ts";
import { agentName, bestAgent } from "../sessions/choose-agent.ts";
import { checkDisplayName, chooseName } from "../sessions/display-name.ts";
import { requireTerminal } from "../sessions/require-terminal.ts";
import { showStarted } from "../sessions/show-started.ts";
import { startHere } from "../sessions/start-here.ts";

export const run = command({
  name: "run",
  summary: "Start an agent, a command or your shell in a new session and show it",
  isDaily: true,
  details: [
    "Without a command it starts the best agent that is installed, and your shell where none is.",
    "The command goes on when you leave with Ctrl-] or the terminal closes. Ends with the command's exit code when that " +
      "ends first.",
  ],
  arguments: [
    {
      name: "command",
      summary: "The command and its arguments",
      isRest: true,
      isOptional: true,
    },
  ],
  flags: {
    name: { type: "text", value: "NAME", short: "n", summary: "Name of the session; made from the command by default" },
    agent: { type: "text", value: "AGENT", completes: "agent", summary: "The agent to start, or shell; see: agents" },
    noMenu: { type: "switch", summary: "Leave Ctrl-\\ to the session" },
  },
  stopsAtFirstWord: true,
  output: "terminal",
  async run(context, { words, flags }) {
    requireTerminal(context, "run");
    if (flags.name !== undefined) checkDisplayName(flags.name);
    if (words.length > 0 && (flags.agent ?? "shell") !== "shell") {
      throw usageError("a command runs in a shell session only");
    }
    await using client = await connectHost(context, { startsDaemon: true });
    const named = chooseName(flags.name, words[0] ?? context.settings.cwd);
    const agent = flags.agent ?? (words.length === 0 ? await announceBest(context, client) : undefined);
    const started = await startHere(context, client, { ...named, agent, command: words });
    return await showStarted(context, { client, session: started }, { hasMenu: !flags.noMenu, printsEnded: true });
  },
});

/** Says which agent was chosen, since nobody named one. */
async function announceBest(context: CommandContext, client: Client): Promise<string | undefined> {
  const best = await bestAgent(client);
  if (best === undefined) return undefined;
  context.output.complain(`Starting ${plainText(agentName(best))}; --agent shell starts your shell.\n`);
  return best.agent;
}
