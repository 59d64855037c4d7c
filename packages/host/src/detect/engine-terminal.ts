import type { ReplayTerminal } from "../agents/detection/replay.ts";
import { openGhosttyEngine } from "../worker/engine/ghostty-engine.ts";
import type { TerminalEngine, TerminalSize } from "../worker/engine/terminal-engine.ts";
import { ProgramStatuses } from "../worker/program-statuses.ts";
import type { ProgramStatusFact } from "../worker-api/inspection.ts";

/** A recording has one program. */
const GROUP = 1;

export interface EngineTerminalOptions extends TerminalSize {
  /** False: reports of OSC 7501 are not heard, to see what the rules alone tell. */
  readonly hearsStatus: boolean;
}

/** The terminal of a recording: the engine that workers have. */
export class EngineTerminal implements ReplayTerminal, Disposable {
  readonly #engine: TerminalEngine;
  readonly #statuses = new ProgramStatuses();

  constructor({ cols, rows, hearsStatus }: EngineTerminalOptions) {
    this.#engine = openGhosttyEngine({
      cols,
      rows,
      historyLines: 0,
      listener: hearsStatus ? { programStatus: (payload) => this.#statuses.report(payload, GROUP) } : {},
    });
  }

  write(bytes: Uint8Array): void {
    this.#engine.write(bytes);
  }

  resize(cols: number, rows: number): void {
    this.#engine.resize(cols, rows);
  }

  get title(): string {
    return this.#engine.title;
  }

  get progress(): string | undefined {
    return this.#engine.progress?.state;
  }

  get revision(): number {
    return this.#engine.revision;
  }

  get lines(): readonly string[] {
    return this.#engine.visibleLines();
  }

  get status(): readonly ProgramStatusFact[] | undefined {
    return this.#statuses.count === 0 ? undefined : this.#statuses.records;
  }

  [Symbol.dispose](): void {
    this.#engine[Symbol.dispose]();
  }
}
