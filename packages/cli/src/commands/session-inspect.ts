import { command } from "../command-line/command.ts";
import { openTarget } from "../sessions/open-target.ts";
import { sessionDetails } from "../sessions/session-details.ts";
import { SESSION_ARGUMENT } from "./arguments.ts";

export const sessionInspect = command({
  name: "session inspect",
  aliases: ["inspect"],
  summary: "Show everything about a session",
  arguments: [SESSION_ARGUMENT],
  flags: {},
  async run(context, { words }) {
    await using target = await openTarget(context, words[0]);
    const session = await target.client.call("session.inspect", target.sessionId);
    return { ok: session, human: () => sessionDetails(session) };
  },
});
