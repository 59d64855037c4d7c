import type { AgentActivity, StateSource } from "@pohunek/protocol/wire";
import type { ForegroundGroup, TerminalFacts } from "../../worker-api/inspection.ts";
import type { Activity } from "./activity.ts";

export interface ShellActivityOptions {
  /** Process group of the session's root process. */
  readonly rootPgid: number;
  /** The root is a shell with a prompt, so it is idle while it reads the terminal itself. Any other program works. */
  readonly isShell: boolean;
  readonly onChange: (activity: Activity) => void;
  readonly clock: RepeatingClock;
}

/** Time, so that a test can drive it. */
export interface RepeatingClock {
  now(): number;
  every(intervalMs: number, tick: () => void): Disposable;
}

/** Output is looked at in windows of this length while something is going on. */
const WINDOW_MS = 100;
/** Quiet windows in a row that make a prompt idle, and busy windows in a row that make it working. */
const CONFIRMATIONS = 3;
/** A prompt is not taken for busy longer than this after its last job because of single bytes (a clock in the prompt). */
const SETTLE_MS = 700;
/** Output this soon after input is taken for its echo. */
const ECHO_MS = 500;

const SPINNER = /[\u2800-\u28ff]/;

/**
 * Tells whether a shell session works or waits, from what its terminal shows: a program's own title and progress first,
 * then whether bytes flow, then which process group reads the terminal. Runs a timer only while that is being found out.
 */
export class ShellActivity implements Disposable {
  readonly #options: ShellActivityOptions;
  readonly #clock: RepeatingClock;
  #current: Activity | undefined;
  #foregroundPgid: number;
  #title: string | undefined;
  #titleClaim: AgentActivity | undefined;
  #isProgressing = false;
  #sampler: Disposable | undefined;
  #sawOutput = false;
  #busyWindows = 0;
  #quietWindows = 0;
  #samplingSince = 0;

  constructor(options: ShellActivityOptions) {
    this.#options = options;
    this.#clock = options.clock;
    this.#foregroundPgid = options.rootPgid;
  }

  get current(): Activity | undefined {
    return this.#current;
  }

  /** The state as it is when the daemon meets the program; nothing is known of what was before. */
  begin(facts: { foreground?: ForegroundGroup; terminal?: TerminalFacts }): void {
    this.#foregroundPgid = facts.foreground?.pgid ?? this.#options.rootPgid;
    this.#title = facts.terminal?.title;
    this.#isProgressing = isProgressing(facts.terminal);
    if (this.#title !== undefined && SPINNER.test(this.#title)) {
      this.#titleClaim = "working";
    }
    this.#decide();
  }

  /** A whole line was submitted for its owner: the shell has work, until it is seen to be idle again. */
  submitted(): void {
    if (this.#isAtPrompt) {
      this.#titleClaim = undefined;
      this.#set("working", "process");
      this.#sample();
    }
  }

  /** `afterTypingMs`: how long before this output somebody typed last. */
  outputAdvanced(afterTypingMs: number): void {
    if (this.#isAtPrompt && afterTypingMs > ECHO_MS) {
      this.#sawOutput = true;
      this.#sample();
    }
  }

  terminalChanged(terminal: TerminalFacts): void {
    this.#isProgressing = isProgressing(terminal);
    if (terminal.title !== this.#title) {
      this.#title = terminal.title;
      this.#titleClaim = claimOf(terminal.title);
    }
    this.#decide();
  }

  /** Another program reads the terminal: what the one before it said about itself no longer counts. */
  foregroundChanged(foreground: ForegroundGroup): void {
    if (foreground.pgid === this.#foregroundPgid) {
      return;
    }
    this.#foregroundPgid = foreground.pgid;
    this.#titleClaim = undefined;
    this.#busyWindows = 0;
    if (this.#isAtPrompt && this.#current?.activity === "working") {
      this.#sample();
    } else {
      this.#decide();
    }
  }

  get #isAtPrompt(): boolean {
    return this.#options.isShell && this.#foregroundPgid === this.#options.rootPgid;
  }

  #sample(): void {
    if (this.#sampler === undefined) {
      this.#samplingSince = this.#clock.now();
      this.#quietWindows = 0;
      this.#busyWindows = 0;
      this.#sampler = this.#clock.every(WINDOW_MS, () => this.#endWindow());
    }
  }

  #endWindow(): void {
    this.#busyWindows = this.#sawOutput ? this.#busyWindows + 1 : 0;
    this.#quietWindows = this.#sawOutput ? 0 : this.#quietWindows + 1;
    const isSettled = !this.#sawOutput && this.#clock.now() - this.#samplingSince >= SETTLE_MS;
    this.#sawOutput = false;
    if (!this.#isAtPrompt || this.#quietWindows >= CONFIRMATIONS || isSettled) {
      this.#stopSampling();
    }
    this.#decide();
  }

  #stopSampling(): void {
    this.#sampler?.[Symbol.dispose]();
    this.#sampler = undefined;
    this.#busyWindows = 0;
  }

  #decide(): void {
    if (this.#isProgressing) {
      this.#set("working", "osc_progress");
    } else if (this.#titleClaim !== undefined) {
      this.#set(this.#titleClaim, "osc_title");
    } else if (!this.#isAtPrompt || this.#busyWindows >= CONFIRMATIONS) {
      this.#set("working", "process");
    } else if (this.#sampler === undefined) {
      this.#set("idle", "process");
    }
  }

  #set(activity: AgentActivity, source: StateSource): void {
    if (this.#current?.activity === activity) {
      return;
    }
    this.#current = { activity, source, revision: (this.#current?.revision ?? 0) + 1 };
    this.#options.onChange(this.#current);
  }

  [Symbol.dispose](): void {
    this.#stopSampling();
  }
}

function isProgressing(terminal: TerminalFacts | undefined): boolean {
  return terminal?.progress?.state === "set" || terminal?.progress?.state === "indeterminate";
}

/** A spinner in the title says working, any other title idle, none nothing. */
function claimOf(title: string | undefined): AgentActivity | undefined {
  if (title === undefined || title === "") {
    return undefined;
  }
  return SPINNER.test(title) ? "working" : "idle";
}
