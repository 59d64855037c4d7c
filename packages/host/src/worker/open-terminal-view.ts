import { openGhosttyEngine } from "./engine/ghostty-engine.ts";
import type { GhosttyRuntime } from "./engine/ghostty-runtime.ts";
import { loadGhosttyRuntime } from "./engine/ghostty-runtime.ts";
import { repaint } from "./repaint/repaint.ts";
import type { TerminalView, TerminalViewOptions } from "./terminal-view.ts";

/** Opens terminal states: libghostty-vt as engine, our serializer as repaint. */
export class TerminalViews {
  #loaded: GhosttyRuntime | undefined;

  /** Loads the engine while there is nothing else to do, so that a program does not wait for it. */
  preload(): void {
    this.#loaded ??= loadGhosttyRuntime();
  }

  /** Each view has a runtime of its own: after a trap in one nothing of it may be used again. */
  open({ cols, rows, historyLines, listener }: TerminalViewOptions): TerminalView {
    const runtime = this.#loaded ?? loadGhosttyRuntime();
    this.#loaded = undefined;
    const engine = openGhosttyEngine({ cols, rows, historyLines, listener }, runtime);
    return {
      engine,
      scrollsFreely: () => !engine.hasMargins && engine.pendingBytes().length === 0,
      repaint: (request) => repaint(engine, request),
    };
  }
}
