import type { SessionInfo } from "@pohunek/protocol";
import { LIMITS } from "@pohunek/protocol/wire";
import { plainText } from "../output/plain-text.ts";
import { byAge } from "./session-table.ts";
import { isEnded } from "./state-words.ts";

/** A display name from the last part of a path, without what a target could not spell. Room is left for a number. */
export function nameFrom(path: string): string {
  const last = path.replace(/\/+$/, "").split("/").at(-1) ?? "";
  const clean = plainText(last).trim();
  let name = clean === "" ? "session" : clean;
  while (Buffer.byteLength(name) > LIMITS.sessionNameBytes - 8) name = name.slice(0, -1);
  return name;
}

/** Metadata of a session that `up` opened: the directory it was opened for, which its shell may have left. */
export const UP_DIRECTORY = "up_directory";

/**
 * The live session of a directory: the one that `up` opened for it, else a shell or an agent that was started there, which is a
 * place to work in as well. `agent` is the one that was asked for; another's session is not it.
 */
export function sessionOfDirectory(
  sessions: readonly SessionInfo[],
  directory: string,
  agent: string | undefined,
): SessionInfo | undefined {
  const live = sessions.filter((session) => !isEnded(session) && session.runtime?.state !== "lost").toSorted(byAge);
  const isPlace = ({ launch, ...session }: SessionInfo): boolean =>
    launch?.cwd === directory && launch.kind !== "command" && (agent === undefined || session.agent === agent);
  return live.findLast(({ metadata }) => metadata?.[UP_DIRECTORY] === directory) ?? live.findLast(isPlace);
}
