import type { TerminalEngine, TerminalListener } from "./engine/terminal-engine.ts";

export interface RepaintRequest {
  /** Rows of history above the visible screen. */
  readonly historyLines: number;
}

/** The terminal state of a session and its repaint; what the runtime needs of `engine/` and `repaint/`. */
export interface TerminalView {
  readonly engine: TerminalEngine;
  /** Bytes that make any terminal of this size show this state and continue from it. */
  repaint(request: RepaintRequest): Uint8Array;
}

export interface TerminalViewOptions {
  readonly cols: number;
  readonly rows: number;
  readonly historyLines: number;
  readonly listener: TerminalListener;
}

export type OpenTerminalView = (options: TerminalViewOptions) => TerminalView;
