import type { EndSignal } from "./attach/attach-outcome.ts";
import type { Settings } from "./config.ts";
import type { Paint } from "./output/colour.ts";
import type { Output } from "./output/output.ts";
import type { LocalTerminal } from "./terminal/local-terminal.ts";

export type SignalName = EndSignal | "SIGWINCH" | "SIGTSTP" | "SIGCONT" | "SIGIO";

/** The signals of this process. */
export interface Signals {
  /** The listener replaces what the signal does by default, until disposed of. */
  on(name: SignalName, listener: () => void): Disposable;
  /** Stops this process until SIGCONT, as an unhandled SIGTSTP does. */
  stopSelf(): void;
}

/** What every command gets. */
export interface CommandContext {
  readonly settings: Settings;
  readonly terminal: LocalTerminal;
  readonly signals: Signals;
  readonly output: Output;
  readonly paint: Paint;
  readonly wantsJson: boolean;
  /** The host that was asked for by `--host`; undefined for the local one. */
  readonly host: string | undefined;
}
