import type { SessionInfo } from "@pohunek/protocol";
import type { Client } from "@pohunek/sdk";
import type { CommandContext } from "../context.ts";
import { plainText } from "../output/plain-text.ts";
import { shellWord } from "../output/shell-word.ts";
import { shortestPrefixes } from "./short-ids.ts";
import { isEnded } from "./state-words.ts";

/**
 * A daemon of an older release does not look whether a name is taken. It is known by not telling what a session was started
 * as; then it is looked afterwards, and two sessions of one name are told.
 */
export async function tellDoubleName(context: CommandContext, client: Client, named: SessionInfo): Promise<void> {
  if (named.launch !== undefined || named.name === undefined || context.wantsJson) return;
  const sessions = await client.call("session.list");
  const isOther = (one: SessionInfo): boolean => one.id !== named.id && one.name === named.name && !isEnded(one);
  if (!sessions.some(isOther)) return;
  const program = context.settings.programName();
  const id = shortestPrefixes(sessions.map(({ id: each }) => each)).get(named.id) ?? named.id;
  context.output.complain(
    `Two running sessions are called "${plainText(named.name)}" now: the daemon is of an older release, which does not ` +
      `look for that.\n  next: ${program} rename ${shellWord(id)} another-name, or ${program} daemon restart (sessions go on)\n`,
  );
}
