import type { TerminalEngine, TerminalListener } from "./engine/terminal-engine.ts";
import type { ScreenLook } from "./repaint/screen-look.ts";

export interface RepaintRequest {
  /** Rows of history above the visible screen. */
  readonly historyLines: number;
  /** `fresh`: the viewer's terminal is in its user's own state, which is left alone. `used`: it may be in any state. */
  readonly viewer: "fresh" | "used";
  /** `active` leaves the viewer's main screen alone while the program is on the alternate one. */
  readonly screens: "both" | "active";
}

/** The terminal state of a session and its repaint; what the runtime needs of `engine/` and `repaint/`. */
export interface TerminalView {
  readonly engine: TerminalEngine;
  /** Whether each new line at the bottom pushes the whole screen up: no margins are set, and no sequence is unfinished. */
  scrollsFreely(): boolean;
  /** Whether a screen that is cleared now can be kept in the history: it is the main one, and no margins are set. */
  keepsCleared(): boolean;
  /** Bytes that make any terminal of this size show this state and continue from it. */
  repaint(request: RepaintRequest): Uint8Array;
  /** How the screen in view looks now, for viewers that get pictures. */
  look(): ScreenLook;
}

export interface TerminalViewOptions {
  readonly cols: number;
  readonly rows: number;
  readonly historyLines: number;
  readonly listener: TerminalListener;
}

export type OpenTerminalView = (options: TerminalViewOptions) => TerminalView;
