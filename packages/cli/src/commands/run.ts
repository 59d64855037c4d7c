import { command } from "../command-line/command.ts";
import { connectHost } from "../connection/connect-host.ts";
import { checkDisplayName, chooseName } from "../sessions/display-name.ts";
import { targetOf } from "../sessions/open-target.ts";
import { requireTerminal } from "../sessions/require-terminal.ts";
import { startHere } from "../sessions/start-here.ts";

export const run = command({
  name: "run",
  summary: "Start a command, or your shell, in a new session and show it",
  isDaily: true,
  details: [
    "The command goes on when you leave with Ctrl-] or the terminal closes. Ends with the command's exit code when that " +
      "ends first.",
  ],
  arguments: [
    {
      name: "command",
      summary: "The command and its arguments; your shell when absent",
      isRest: true,
      isOptional: true,
    },
  ],
  flags: {
    name: { type: "text", value: "NAME", short: "n", summary: "Name of the session; made from the command by default" },
    noMenu: { type: "switch", summary: "Leave Ctrl-\\ to the session" },
  },
  stopsAtFirstWord: true,
  output: "terminal",
  async run(context, { words, flags }) {
    requireTerminal(context, "run");
    if (flags.name !== undefined) checkDisplayName(flags.name);
    await using client = await connectHost(context, { startsDaemon: true });
    const named = chooseName(flags.name, words[0] ?? context.settings.cwd);
    const started = await startHere(context, client, { ...named, command: words });
    const { showSession } = await import("../sessions/show-session.ts");
    return await showSession(context, Promise.resolve(targetOf(client, started)), {
      hasMenu: !flags.noMenu,
      printsEnded: true,
    });
  },
});
