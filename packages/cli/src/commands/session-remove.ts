import { command } from "../command-line/command.ts";
import { plainText } from "../output/plain-text.ts";
import { openTarget } from "../sessions/open-target.ts";
import { SESSION_ARGUMENT } from "./arguments.ts";

export const sessionRemove = command({
  name: "session rm",
  aliases: ["rm"],
  summary: "End a session and remove it with its history",
  isDaily: true,
  arguments: [SESSION_ARGUMENT],
  flags: {
    acceptUnconfirmedCleanup: {
      type: "switch",
      summary: "Remove it also when not all of its processes are known to be gone",
    },
  },
  async run(context, { words, flags }) {
    await using target = await openTarget(context, words[0]);
    const method = flags.acceptUnconfirmedCleanup ? "session.remove_accepting_unconfirmed" : "session.remove";
    const result = await target.client.call(method, target.sessionId);
    const left = "accepted_unconfirmed_processes" in result ? (result.accepted_unconfirmed_processes ?? []) : [];
    return {
      ok: result,
      human: () =>
        `removed ${plainText(target.label)}\n` +
        left.map(({ pid, command: name }) => `may still run: ${pid} ${plainText(name ?? "")}\n`).join(""),
    };
  },
});
