import { LIMITS, READ_SOURCES } from "@pohunek/protocol/wire";
import { command } from "../command-line/command.ts";
import { plainLines } from "../output/plain-text.ts";
import { openTarget } from "../sessions/open-target.ts";
import { SESSION_ARGUMENT } from "./arguments.ts";

export const sessionRead = command({
  name: "session read",
  aliases: ["read"],
  summary: "Print the last text of a session, history included",
  arguments: [SESSION_ARGUMENT],
  flags: {
    source: { type: "text", value: "SOURCE", choices: READ_SOURCES, summary: "What to read" },
    lines: {
      type: "integer",
      value: "N",
      range: [LIMITS.readLinesMinimum, LIMITS.readLinesMaximum],
      summary: "How many lines at most",
    },
  },
  async run(context, { words, flags: { source, lines } }) {
    await using target = await openTarget(context, words[0]);
    const chosen = READ_SOURCES.find((one) => one === source);
    const result = await target.client.call("session.read", {
      session_id: target.sessionId,
      ...(chosen === undefined ? {} : { source: chosen }),
      ...(lines === undefined ? {} : { lines }),
    });
    return { ok: result, human: () => `${plainLines(result.text).trimEnd()}\n` };
  },
});
