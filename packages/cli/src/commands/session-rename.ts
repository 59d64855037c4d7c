import { command } from "../command-line/command.ts";
import { usageError } from "../command-line/usage-error.ts";
import { plainText } from "../output/plain-text.ts";
import { checkDisplayName } from "../sessions/display-name.ts";
import { tellDoubleName } from "../sessions/name-clash.ts";
import { openTarget } from "../sessions/open-target.ts";
import { SESSION_ARGUMENT } from "./arguments.ts";

export const sessionRename = command({
  name: "session rename",
  aliases: ["rename"],
  summary: "Give a session another name",
  isDaily: true,
  arguments: [SESSION_ARGUMENT, { name: "name", summary: "The new name", isOptional: true }],
  flags: { clear: { type: "switch", summary: "Take its name away" } },
  async run(context, { words: [session, name], flags }) {
    if (flags.clear === (name !== undefined))
      throw usageError("session rename needs a new name or --clear, one of them");
    const wanted = name === undefined ? undefined : checkDisplayName(name);
    await using target = await openTarget(context, session);
    const given = wanted === undefined ? {} : ({ name: wanted, name_clash: "refuse" } as const);
    const params = { session_id: target.sessionId, ...given };
    const result = await target.client.call("session.rename", params);
    await tellDoubleName(context, target.client, result.session);
    const now = result.session.name === undefined ? "has no name now" : `is ${plainText(result.session.name)} now`;
    return { ok: result, human: () => `${plainText(target.label)} ${now}\n` };
  },
});
