import { openGhosttyEngine } from "./engine/ghostty-engine.ts";
import { loadGhosttyRuntime } from "./engine/ghostty-runtime.ts";
import type { OpenTerminalView } from "./terminal-view.ts";

/** libghostty-vt as terminal state, our serializer as repaint. */
export const openTerminalView: OpenTerminalView = ({ cols, rows, historyLines, listener }) => {
  const engine = openGhosttyEngine({ cols, rows, historyLines, listener }, loadGhosttyRuntime());
  return { engine, repaint: () => new TextEncoder().encode(`\x1bc${engine.visibleLines().join("\r\n")}`) };
};
