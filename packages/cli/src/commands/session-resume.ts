import type { SessionInfo } from "@pohunek/protocol";
import { isProtocolError } from "@pohunek/protocol/wire";
import type { CommandResult } from "../command-line/command.ts";
import { command } from "../command-line/command.ts";
import { usageError } from "../command-line/usage-error.ts";
import { connectHost } from "../connection/connect-host.ts";
import type { CommandContext } from "../context.ts";
import { plainText } from "../output/plain-text.ts";
import { openTarget } from "../sessions/open-target.ts";
import { OPTIONAL_SESSION } from "./arguments.ts";

export const sessionResume = command({
  name: "session resume",
  aliases: ["resume"],
  summary: "Go on with the conversation of a session that has ended or was lost",
  details: [
    "The session keeps its id, its name and its folder; its agent is started anew, by what was written down when the session " +
      "was made, and takes up its own conversation. --lost does that for all sessions that were lost, as after a restart of " +
      "the machine.",
  ],
  arguments: [OPTIONAL_SESSION],
  flags: {
    lost: { type: "switch", summary: "All sessions that were lost, in place of one" },
    acceptProfileChange: { type: "switch", summary: "Go on although the agent's profile has changed" },
  },
  async run(context, { words, flags }) {
    if (flags.lost !== (words[0] === undefined)) throw usageError("resume takes a session or --lost");
    if (flags.lost) return await resumeLost(context, flags.acceptProfileChange);
    await using target = await openTarget(context, words[0]);
    const result = await target.client.call("session.resume", paramsOf(target.sessionId, flags.acceptProfileChange));
    return { ok: result, human: () => `resumed ${plainText(target.label)}\n` };
  },
});

function paramsOf(id: SessionInfo["id"], acceptsChange: boolean) {
  return acceptsChange ? { session_id: id, accept_profile_change: true } : id;
}

/** Each on its own: that one can't be resumed must not cost the others. */
async function resumeLost(context: CommandContext, acceptsChange: boolean): Promise<CommandResult> {
  await using client = await connectHost(context);
  const lost = (await client.call("session.list")).filter(
    ({ runtime, capabilities }) => runtime?.state === "lost" && capabilities.resume,
  );
  const resumed: SessionInfo[] = [];
  const refused: { session_id: string; code: string; message: string }[] = [];
  const lines: string[] = [];
  for (const { id, name } of lost) {
    try {
      resumed.push((await client.call("session.resume", paramsOf(id, acceptsChange))).session);
      lines.push(`resumed ${plainText(name ?? id)}\n`);
    } catch (error) {
      if (!isProtocolError(error)) throw error;
      refused.push({ session_id: id, code: error.code, message: error.message });
      lines.push(`not resumed: ${plainText(name ?? id)}: ${plainText(error.message)} (${plainText(error.code)})\n`);
    }
  }
  return {
    ok: { resumed, refused },
    human: () => (lost.length === 0 ? "no lost session can be resumed\n" : lines.join("")),
    exitCode: refused.length === 0 ? 0 : 1,
  };
}
