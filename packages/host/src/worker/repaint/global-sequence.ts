import type { TerminalHeader } from "../engine/terminal-state.ts";
import { COLOR_RESETS, colorSettings } from "./color-settings.ts";
import type { VtWriter } from "./vt-writer.ts";

/** Names of OSC 22 by their number in the snapshot. */
const POINTER_SHAPES = [
  "default context-menu help pointer progress wait cell crosshair text vertical-text alias copy move",
  "no-drop not-allowed grab grabbing all-scroll col-resize row-resize n-resize e-resize s-resize",
  "w-resize ne-resize nw-resize se-resize sw-resize ew-resize ns-resize nesw-resize nwse-resize zoom-in",
  "zoom-out",
].flatMap((line) => line.split(" "));
const TEXT_POINTER = POINTER_SHAPES.indexOf("text");
const TAB_WIDTH = 8;

/** Facts about the session that no cell shows. */
export interface GlobalFacts {
  readonly header: TerminalHeader;
  readonly isUsed: boolean;
  readonly modifyOtherKeys: number;
  /** Whether the program ever set a title, or a colour of the terminal. */
  readonly hasTitle: boolean;
  readonly hasColors: boolean;
}

export function writeGlobals(writer: VtWriter, facts: GlobalFacts): void {
  const { header } = facts;
  writeTabStops(writer, facts);
  writeColors(writer, facts);
  if (facts.hasTitle) writer.osc(`0;${header.title}`);
  if (header.cwd !== "") writer.osc(`7;${header.cwd}`);
  if (header.mouseShape !== TEXT_POINTER) writer.osc(`22;${POINTER_SHAPES[header.mouseShape] ?? "text"}`);
  else if (facts.isUsed) writer.osc("22;text");
  if (header.mouseShiftCapture !== undefined) writer.csi(header.mouseShiftCapture ? ">1s" : ">0s");
  writer.csi(`>4;${facts.modifyOtherKeys}m`);
}

/** Moves the cursor. */
function writeTabStops(writer: VtWriter, { header, isUsed }: GlobalFacts): void {
  if (!isUsed && hasInitialStops(header)) return;
  writer.csi("3g");
  for (const col of header.tabStops) writer.ascii(`\x1b[${col + 1}G\x1bH`);
}

/** True for a stop in every eighth column but the last. */
function hasInitialStops({ cols, tabStops }: TerminalHeader): boolean {
  for (let index = 0; index < tabStops.length; index += 1)
    if (tabStops[index] !== (index + 1) * TAB_WIDTH) return false;
  return tabStops.length === Math.max(0, Math.ceil((cols - 1) / TAB_WIDTH) - 1);
}

function writeColors(writer: VtWriter, { header, isUsed, hasColors }: GlobalFacts): void {
  if (isUsed && hasColors) for (const reset of COLOR_RESETS) writer.osc(reset);
  for (const [what, color] of colorSettings(header)) writer.osc(`${what};${color}`);
}
