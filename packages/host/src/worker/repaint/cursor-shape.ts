import { hasMode, MODES } from "../engine/mode-registry.ts";
import type { ScreenState, TerminalState } from "../engine/terminal-state.ts";
import type { VtWriter } from "./vt-writer.ts";

/** DECSCUSR numbers by shape: bar, block, underline. */
const STEADY_SHAPES = [6, 2, 4];
const BLOCK = 2;

/**
 * The main screen keeps its cursor's shape while a program on the alternate one asks for the default, which is then in force.
 * It takes the same visit, before anything is painted and saved. Leaving by another mode would take the shape along.
 */
export function writeStrayShape(writer: VtWriter, state: TerminalState): void {
  if (!hasStrayShape(state)) return;
  writer.csi(`${STEADY_SHAPES[state.primary.cursorShape]} q`);
  writer.ascii("\x1b[?1049h\x1b[0 q\x1b[?1049l");
}

/** Of the main screen, before the alternate one is entered. */
export function writeShapeBelow(writer: VtWriter, { cursorShape }: ScreenState, isUsed: boolean): void {
  const shape = STEADY_SHAPES[cursorShape];
  if (shape !== undefined && (isUsed || shape !== BLOCK)) writer.csi(`${shape} q`);
}

/** Of the screen in view. Without a wish of the program the user's own shape and blinking stay. */
export function writeCursorShape(writer: VtWriter, state: TerminalState, { cursorShape }: ScreenState): void {
  const { modes, cursorIsDefault } = state.header;
  const isBlinking = hasMode(modes, MODES.cursorBlink);
  const shape = STEADY_SHAPES[cursorShape];
  const isStray = hasStrayShape(state);
  if (shape !== undefined && !isStray && !(cursorIsDefault && shape === BLOCK)) {
    writer.csi(`${isBlinking ? shape - 1 : shape} q`);
    return;
  }
  if (!isStray) writer.csi("0 q");
  if (isBlinking) writer.csi("?12h");
}

function hasStrayShape({ header, primary }: TerminalState): boolean {
  const shape = STEADY_SHAPES[primary.cursorShape];
  return !header.alternateActive && header.cursorIsDefault && shape !== undefined && shape !== BLOCK;
}
