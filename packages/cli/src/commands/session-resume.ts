import { command } from "../command-line/command.ts";
import { plainText } from "../output/plain-text.ts";
import { openTarget } from "../sessions/open-target.ts";
import { SESSION_ARGUMENT } from "./arguments.ts";

export const sessionResume = command({
  name: "session resume",
  aliases: ["resume"],
  summary: "Go on with the conversation of a session that has ended or was lost",
  arguments: [SESSION_ARGUMENT],
  flags: { acceptProfileChange: { type: "switch", summary: "Go on although the agent's profile has changed" } },
  async run(context, { words, flags }) {
    await using target = await openTarget(context, words[0]);
    const { sessionId: id } = target;
    const params = flags.acceptProfileChange ? { session_id: id, accept_profile_change: true } : id;
    const result = await target.client.call("session.resume", params);
    return { ok: result, human: () => `resumed ${plainText(target.label)}\n` };
  },
});
