import { CELL_PX, CLIPBOARD_LOCATIONS, CLIPBOARD_SUCCESS, PROGRESS_STATES, STRUCT } from "./ghostty-abi.ts";
import type { GhosttyRuntime, TerminalEffects } from "./ghostty-runtime.ts";
import type { TerminalListener, TerminalProgress, TerminalSize } from "./terminal-engine.ts";

/** Facts that an announcement is made of. */
export interface EffectSource {
  readonly size: TerminalSize;
  readonly title: string;
  readonly cwd: string;
}

/**
 * Translates the module's callbacks into calls of a listener, and remembers what the engine itself does not keep. The
 * calls wait until the module has returned, so that a listener that throws leaves the engine whole.
 */
export class ListenerEffects implements TerminalEffects {
  readonly #runtime: GhosttyRuntime;
  readonly #source: EffectSource;
  readonly #listener: TerminalListener;
  #waiting: (() => void)[] = [];
  #progress: TerminalProgress | undefined;
  #hasTitle = false;

  constructor(runtime: GhosttyRuntime, source: EffectSource, listener: TerminalListener) {
    this.#runtime = runtime;
    this.#source = source;
    this.#listener = listener;
  }

  get size(): TerminalSize {
    return this.#source.size;
  }

  /** Makes the calls that came up while the module was running. */
  flush(): void {
    if (this.#waiting.length === 0) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const call of waiting) call();
  }

  get hasTitle(): boolean {
    return this.#hasTitle;
  }

  get currentProgress(): TerminalProgress | undefined {
    return this.#progress;
  }

  writePty(bytes: Uint8Array): void {
    const reply = bytes.slice();
    this.#waiting.push(() => this.#listener.reply?.(reply));
  }

  bell(): void {
    this.#waiting.push(() => this.#listener.bell?.());
  }

  titleChanged(): void {
    this.#hasTitle = true;
    const { title } = this.#source;
    this.#waiting.push(() => this.#listener.title?.(title));
  }

  pwdChanged(): void {
    const { cwd } = this.#source;
    this.#waiting.push(() => this.#listener.cwd?.(cwd));
  }

  progress(report: number): void {
    const view = this.#runtime.view;
    const state = PROGRESS_STATES[view.getUint32(report + STRUCT.progressReport.state, true)];
    const percent = view.getInt8(report + STRUCT.progressReport.progress);
    const progress = state === undefined ? undefined : { state, ...(percent >= 0 ? { percent } : {}) };
    this.#progress = progress;
    this.#waiting.push(() => this.#listener.progress?.(progress));
  }

  notification(request: number): void {
    const title = this.#text(request + STRUCT.desktopNotification.title);
    const body = this.#text(request + STRUCT.desktopNotification.body);
    this.#waiting.push(() => this.#listener.notification?.(title, body));
  }

  clipboard(request: number): number {
    const view = this.#runtime.view;
    const location = CLIPBOARD_LOCATIONS[view.getUint32(request + STRUCT.clipboardWrite.location, true)] ?? "standard";
    const count = view.getUint32(request + STRUCT.clipboardWrite.contentsLen, true);
    const first = view.getUint32(request + STRUCT.clipboardWrite.contents, true);
    // No content at all is how a program clears the clipboard.
    const content =
      count === 0 ? new Uint8Array(0) : this.#runtime.stringBytes(first + STRUCT.clipboardContent.data).slice();
    this.#waiting.push(() => this.#listener.clipboard?.({ location, content }));
    return CLIPBOARD_SUCCESS;
  }

  reportSize(out: number): boolean {
    const view = this.#runtime.view;
    const { cols, rows } = this.#source.size;
    view.setUint16(out + STRUCT.sizeReport.rows, rows, true);
    view.setUint16(out + STRUCT.sizeReport.columns, cols, true);
    view.setUint32(out + STRUCT.sizeReport.cellWidth, CELL_PX.width, true);
    view.setUint32(out + STRUCT.sizeReport.cellHeight, CELL_PX.height, true);
    return true;
  }

  #text(struct: number): string {
    return new TextDecoder().decode(this.#runtime.stringBytes(struct));
  }
}
