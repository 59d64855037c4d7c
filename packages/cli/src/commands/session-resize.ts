import { LIMITS } from "@pohunek/protocol/wire";
import { command } from "../command-line/command.ts";
import { usageError } from "../command-line/usage-error.ts";
import { plainText } from "../output/plain-text.ts";
import { openTarget } from "../sessions/open-target.ts";
import { SESSION_ARGUMENT } from "./arguments.ts";

export const sessionResize = command({
  name: "session resize",
  aliases: ["resize"],
  summary: "Give a session's terminal another size",
  arguments: [SESSION_ARGUMENT],
  flags: {
    cols: { type: "integer", value: "COLUMNS", range: [1, LIMITS.screenColumns], summary: "New width" },
    rows: { type: "integer", value: "ROWS", range: [1, LIMITS.screenRows], summary: "New height" },
  },
  async run(context, { words, flags: { cols, rows } }) {
    if (cols === undefined || rows === undefined) throw usageError("session resize needs --cols and --rows");
    await using target = await openTarget(context, words[0]);
    const result = await target.client.call("session.resize", { session_id: target.sessionId, cols, rows });
    const { session } = result;
    return { ok: result, human: () => `${plainText(target.label)} is ${session.cols} x ${session.rows} now\n` };
  },
});
