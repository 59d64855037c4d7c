import { command } from "../command-line/command.ts";
import { plainText } from "../output/plain-text.ts";
import { openTarget } from "../sessions/open-target.ts";
import { SESSION_ARGUMENT } from "./arguments.ts";

const NOT_STORED = "The host's disk is full, so how it ended will be stored when there is room again.\n";

export const sessionStop = command({
  name: "session stop",
  aliases: ["stop"],
  summary: "End a session's program; the session stays in the list",
  isDaily: true,
  arguments: [SESSION_ARGUMENT],
  flags: {},
  async run(context, { words }) {
    await using target = await openTarget(context, words[0]);
    const result = await target.client.call("session.stop", target.sessionId);
    const what = result.stopped ? "stopped" : "had ended already:";
    const note = result.stored === false ? NOT_STORED : "";
    return { ok: result, human: () => `${what} ${plainText(target.label)}\n${note}` };
  },
});
