import type { CommandContext } from "../context.ts";
import type { Paint } from "./colour.ts";

/** What decides about the looks of a table. */
export interface TableLook {
  readonly width: number;
  readonly paint: Paint;
  readonly home: string | undefined;
  readonly nowMs: number;
}

const DEFAULT_COLUMNS = 80;

/** The looks of a table on the present output. */
export function tableLook({ terminal, paint, settings }: CommandContext): TableLook {
  return {
    width: terminal.isOutput ? (terminal.size()?.cols ?? DEFAULT_COLUMNS) : DEFAULT_COLUMNS,
    paint,
    home: settings.home,
    nowMs: Date.now(),
  };
}
