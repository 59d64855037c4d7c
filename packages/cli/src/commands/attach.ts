import { protocolError } from "@pohunek/protocol/wire";
import { command } from "../command-line/command.ts";
import { connectHost } from "../connection/connect-host.ts";
import type { CommandContext } from "../context.ts";
import type { OpenTarget } from "../sessions/open-target.ts";
import { openTarget, targetOf } from "../sessions/open-target.ts";
import { requireTerminal } from "../sessions/require-terminal.ts";
import { isEnded } from "../sessions/state-words.ts";
import { onlyOne } from "../sessions/target.ts";
import { OPTIONAL_SESSION } from "./arguments.ts";

export const attach = command({
  name: "attach",
  summary: "Show a session on this terminal",
  isDaily: true,
  details: [
    "Without a session: the only one that runs, or the only one of this directory. Ctrl-] leaves, Ctrl-\\ opens a menu. " +
      "Ends with the exit code of the session's program when that ends, and with 0 when you leave.",
  ],
  arguments: [OPTIONAL_SESSION],
  flags: { noMenu: { type: "switch", summary: "Leave Ctrl-\\ to the session" } },
  output: "terminal",
  async run(context, { words, flags }) {
    requireTerminal(context, "attach");
    const opening = words[0] === undefined ? openObvious(context) : openTarget(context, words[0]);
    // Loaded while the daemon thinks.
    const [{ showSession }, found] = await Promise.all([import("../sessions/show-session.ts"), opening]);
    await using target = found;
    return await showSession(context, target, { hasMenu: !flags.noMenu });
  },
});

/** The session that is meant when none is named. */
async function openObvious(context: CommandContext): Promise<OpenTarget> {
  const client = await connectHost(context);
  try {
    const live = (await client.call("session.list")).filter((session) => !isEnded(session));
    if (live.length === 0) {
      throw protocolError("session_not_found", { message: "no session is running", recover: "pohunek run" });
    }
    const here = live.filter(({ cwd }) => cwd === context.settings.cwd);
    return targetOf(client, onlyOne(here.length === 1 ? here : live, `${live.length} sessions are running`));
  } catch (error) {
    await client.close();
    throw error;
  }
}
