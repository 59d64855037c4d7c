import type { SessionInfo } from "@pohunek/protocol";
import { ageText } from "../output/age.ts";
import { plainText } from "../output/plain-text.ts";
import { shortPath } from "../output/short-path.ts";
import type { Cell, Column } from "../output/table.ts";
import { layOutTable } from "../output/table.ts";
import type { TableLook } from "../output/table-look.ts";
import { shortestPrefixes } from "./short-ids.ts";
import { stateWords } from "./state-words.ts";

/** By plain comparison: the first `localeCompare` of a program loads tables that take as long as the whole rest. */
export function byAge(one: SessionInfo, other: SessionInfo): number {
  return one.created_at < other.created_at ? -1 : one.created_at > other.created_at ? 1 : 0;
}

const COLUMNS: readonly Column[] = [
  { title: "NAME", minimum: 12 },
  { title: "STATE", minimum: 9 },
  { title: "AGENT", minimum: 5 },
  { title: "DIRECTORY", minimum: 16, cut: "middle" },
  { title: "AGE", minimum: 4 },
];

/** Sessions as people read them: one line each, oldest first, with what every session needs to be addressed. */
export function sessionTable(sessions: readonly SessionInfo[], look: TableLook): string[] {
  const ordered = sessions.toSorted(byAge);
  const names = shownNames(ordered);
  const rows = ordered.map((session, index): Cell[] => {
    const state = stateWords(session);
    return [
      { text: plainText(names[index] ?? session.id) },
      { text: state.text, colour: state.colour },
      { text: plainText(session.active_agent ?? session.agent) },
      { text: plainText(shortPath(session.cwd, look.home)) },
      { text: ageText(Date.parse(session.created_at), look.nowMs) },
    ];
  });
  return layOutTable(COLUMNS, rows, look);
}

/** A session without a name is shown by the shortest beginning of its id that is its alone. */
function shownNames(sessions: readonly SessionInfo[]): (string | undefined)[] {
  const names = sessions.map(({ name }) => name);
  if (!names.includes(undefined)) return names;
  const prefixes = shortestPrefixes(sessions.map(({ id }) => id));
  return sessions.map(({ id, name }) => name ?? prefixes.get(id));
}
