import { openGhosttyEngine } from "./engine/ghostty-engine.ts";
import { loadGhosttyRuntime } from "./engine/ghostty-runtime.ts";
import { repaint } from "./repaint/repaint.ts";
import type { OpenTerminalView } from "./terminal-view.ts";

/** libghostty-vt as terminal state, our serializer as repaint. */
export const openTerminalView: OpenTerminalView = ({ cols, rows, historyLines, listener }) => {
  const engine = openGhosttyEngine({ cols, rows, historyLines, listener }, loadGhosttyRuntime());
  return { engine, repaint: ({ historyLines: lines }) => repaint(engine, { historyLines: lines }) };
};
