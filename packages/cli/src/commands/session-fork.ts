import { command } from "../command-line/command.ts";
import { plainText } from "../output/plain-text.ts";
import { DEFAULT_SIZE } from "../sessions/default-size.ts";
import { checkDisplayName } from "../sessions/display-name.ts";
import { openTarget } from "../sessions/open-target.ts";
import { SESSION_ARGUMENT } from "./arguments.ts";

export const sessionFork = command({
  name: "session fork",
  aliases: ["fork"],
  summary: "Start a second session from an agent's conversation",
  arguments: [SESSION_ARGUMENT],
  flags: {
    name: { type: "text", value: "NAME", summary: "Name of the new session" },
    acceptProfileChange: { type: "switch", summary: "Go on although the agent's profile has changed" },
  },
  async run(context, { words, flags }) {
    const name = flags.name === undefined ? undefined : checkDisplayName(flags.name);
    await using target = await openTarget(context, words[0]);
    const started = await target.client.call("session.fork", {
      session_id: target.sessionId,
      cwd_mode: "same",
      ...DEFAULT_SIZE,
      ...(name === undefined ? {} : { name, name_clash: "refuse" }),
      ...(flags.acceptProfileChange ? { accept_profile_change: true } : {}),
    });
    return { ok: started, human: () => `started ${plainText(started.name ?? started.id)}\n` };
  },
});
