import type { AttachMode } from "@pohunek/protocol/wire";
import { protocolError } from "@pohunek/protocol/wire";
import type { AttachTarget } from "../attach/attach-client.ts";
import { command } from "../command-line/command.ts";
import { usageError } from "../command-line/usage-error.ts";
import { connectHost } from "../connection/connect-host.ts";
import type { CommandContext } from "../context.ts";
import type { DirectWish } from "../sessions/open-directly.ts";
import { openDirectly } from "../sessions/open-directly.ts";
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
    "Neither --read-only nor --view changes the size of the session. --read-only shows its output as it is, which wants a " +
      "terminal that is as large. --view shows the part around the cursor: arrows, Page Up, Page Down, Home, End and hjkl, g, G " +
      "move it, f follows the cursor again, t shows the text broken for this terminal, q leaves.",
  ],
  arguments: [OPTIONAL_SESSION],
  flags: {
    noMenu: { type: "switch", summary: "Leave Ctrl-\\ to the session" },
    readOnly: { type: "switch", summary: "Show the session's output, and send nothing to it" },
    view: { type: "switch", summary: "Show the session at the size of this terminal, and send nothing to it" },
  },
  output: "terminal",
  async run(context, { words, flags }) {
    if (flags.readOnly && flags.view) throw usageError("attach takes --read-only or --view, not both");
    requireTerminal(context, "attach");
    const mode = modeOf(flags);
    const asked = Promise.withResolvers<void>();
    const target = findTarget(context, words[0], { mode, onAsked: asked.resolve });
    // The rest is loaded while the daemon thinks, and not before it was asked. A failure is told by who waits for it.
    await Promise.race([asked.promise, target]).catch(() => undefined);
    const { showSession } = await import("../sessions/show-session.ts");
    return await showSession(context, target, { hasMenu: !flags.noMenu, mode });
  },
});

async function findTarget(context: CommandContext, text: string | undefined, wish: DirectWish): Promise<AttachTarget> {
  if (text === undefined) return await openObvious(context);
  return (await openDirectly(context, text, wish)) ?? (await openTarget(context, text));
}

function modeOf(flags: { readonly readOnly: boolean; readonly view: boolean }): AttachMode {
  return flags.view ? "view" : flags.readOnly ? "read_only" : "interactive";
}

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
