import type { SessionInfo } from "@pohunek/protocol";
import { ageText } from "../output/age.ts";
import type { Paint } from "../output/colour.ts";
import { plainText } from "../output/plain-text.ts";
import { shortPath } from "../output/short-path.ts";
import type { Cell, Column } from "../output/table.ts";
import { layOutTable } from "../output/table.ts";
import { shortestPrefixes } from "./short-ids.ts";
import { stateWords } from "./state-words.ts";

export interface SessionTableLook {
  readonly width: number;
  readonly paint: Paint;
  readonly home: string | undefined;
  readonly nowMs: number;
}

const COLUMNS: readonly Column[] = [
  { title: "NAME", minimum: 12 },
  { title: "STATE", minimum: 9 },
  { title: "AGENT", minimum: 5 },
  { title: "DIRECTORY", minimum: 16, cut: "middle" },
  { title: "AGE", minimum: 4 },
];

/** Sessions as people read them: one line each, oldest first, with what every session needs to be addressed. */
export function sessionTable(sessions: readonly SessionInfo[], look: SessionTableLook): string[] {
  const ordered = [...sessions].sort((one, other) => one.created_at.localeCompare(other.created_at));
  const prefixes = shortestPrefixes(ordered.map(({ id }) => id));
  const rows = ordered.map((session): Cell[] => {
    const state = stateWords(session);
    return [
      { text: plainText(session.name ?? prefixes.get(session.id) ?? session.id) },
      { text: state.text, colour: state.colour },
      { text: plainText(session.active_agent ?? session.agent) },
      { text: plainText(shortPath(session.cwd, look.home)) },
      { text: ageText(Date.parse(session.created_at), look.nowMs) },
    ];
  });
  return layOutTable(COLUMNS, rows, look);
}
