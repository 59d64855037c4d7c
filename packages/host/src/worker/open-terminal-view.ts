import { openGhosttyEngine } from "./engine/ghostty-engine.ts";
import { loadGhosttyRuntime } from "./engine/ghostty-runtime.ts";
import { repaint } from "./repaint/repaint.ts";
import { ScreenLook } from "./repaint/screen-look.ts";
import type { TerminalView, TerminalViewOptions } from "./terminal-view.ts";

/**
 * libghostty-vt as terminal state, our serializer as repaint. Each has an engine of its own: after a trap nothing of
 * the old one may be used again. The module is compiled when none is given.
 */
export function openTerminalView(options: TerminalViewOptions, module?: WebAssembly.Module): TerminalView {
  const { cols, rows, historyLines, listener } = options;
  const engine = openGhosttyEngine({ cols, rows, historyLines, listener }, loadGhosttyRuntime(module));
  return {
    engine,
    scrollsFreely: () => !engine.hasMargins && engine.pendingBytes().length === 0,
    keepsCleared: () => !engine.alternateScreen && !engine.hasMargins,
    repaint: (request) => repaint(engine, request),
    look: () => new ScreenLook(engine.screens(), engine),
  };
}
