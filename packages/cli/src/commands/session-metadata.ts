import { command } from "../command-line/command.ts";
import { usageError } from "../command-line/usage-error.ts";
import { openTarget } from "../sessions/open-target.ts";
import { detailLines } from "../sessions/session-details.ts";
import { SESSION_ARGUMENT } from "./arguments.ts";

export const sessionMetadata = command({
  name: "session metadata",
  aliases: ["metadata"],
  summary: "Set or clear notes that are kept with a session",
  arguments: [SESSION_ARGUMENT],
  flags: {
    set: { type: "pairs", value: "KEY=VALUE", summary: "Set a key; can be repeated" },
    clear: { type: "list", value: "KEY", summary: "Take a key away; can be repeated" },
  },
  async run(context, { words, flags }) {
    const cleared = flags.clear.map((key): [string, null] => [key, null]);
    const changes = [...cleared, ...Object.entries(flags.set)];
    if (changes.length === 0) throw usageError("session metadata needs --set or --clear");
    await using target = await openTarget(context, words[0]);
    const metadata = Object.fromEntries(changes);
    const result = await target.client.call("session.set_metadata", { session_id: target.sessionId, metadata });
    const rows = Object.entries(result.session.metadata ?? {});
    return { ok: result, human: () => (rows.length === 0 ? "No metadata.\n" : detailLines(rows)) };
  },
});
