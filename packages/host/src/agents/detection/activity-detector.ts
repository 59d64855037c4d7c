import type { ForegroundGroup, TerminalFacts } from "../../worker-api/inspection.ts";
import type { Activity } from "./activity.ts";
import type { Explanation } from "./explanation.ts";
import type { RegionPreview } from "./rule-set.ts";

/** What is known of a program when the daemon meets it. */
export interface MetFacts {
  readonly foreground?: ForegroundGroup;
  readonly terminal?: TerminalFacts;
}

/** The agent that has the terminal, when it is not the one that the session was started with. */
export interface ActiveAgent {
  readonly runtimeId: string;
  readonly pid: number;
  readonly startIdentity?: string;
}

/** Tells what a session's program does, from what its worker tells of the terminal. */
export interface ActivityDetector extends Disposable {
  readonly current: Activity | undefined;
  readonly activeAgent: ActiveAgent | undefined;
  /** The state as it is now; nothing is known of what was before. */
  begin(facts: MetFacts): void;
  /** A whole line was submitted for its owner: there is work, until it is seen to be over. */
  submitted(): void;
  /** Its question was answered: one that is seen from now on is another, though it may look the same. */
  answered(): void;
  /** `afterTypingMs`: how long before this output somebody typed last. */
  outputAdvanced(afterTypingMs: number): void;
  terminalChanged(terminal: TerminalFacts): void;
  foregroundChanged(foreground: ForegroundGroup): void;
  resized(): void;
  /** Looks at the screen once more, and says what decided and what was rejected. */
  explain(): Promise<Explanation>;
  /** The parts of the terminal that rules look at. */
  previews(): Promise<readonly RegionPreview[]>;
}
