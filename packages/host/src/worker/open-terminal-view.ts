import { openGhosttyEngine } from "./engine/ghostty-engine.ts";
import { compileGhostty } from "./engine/ghostty-runtime.ts";
import { repaint } from "./repaint/repaint.ts";
import { ScreenLook } from "./repaint/screen-look.ts";
import type { TerminalView, TerminalViewOptions } from "./terminal-view.ts";

/**
 * libghostty-vt as terminal state, our serializer as repaint. Each has an engine of its own, which takes about 10 ms to load:
 * after a trap nothing of the old one may be used again.
 */
export function openTerminalView({ cols, rows, historyLines, listener }: TerminalViewOptions): TerminalView {
  const engine = openGhosttyEngine({ cols, rows, historyLines, listener });
  return {
    engine,
    scrollsFreely: () => !engine.hasMargins && engine.pendingBytes().length === 0,
    keepsCleared: () => !engine.alternateScreen && !engine.hasMargins,
    repaint: (request) => repaint(engine, request),
    look: () => new ScreenLook(engine.state(0), engine.cursor),
  };
}

/** Does beforehand what all views have in common. */
export function prepareTerminalViews(): void {
  compileGhostty();
}
