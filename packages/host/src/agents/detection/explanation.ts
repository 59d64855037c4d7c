import type { Activity, EvidenceSource } from "./activity.ts";
import type { RuleExplanation } from "./rule-set.ts";

/** One change of a session's activity. */
export interface ActivityChange {
  readonly atMs: number;
  readonly activity: Activity;
}

/** A source that did not decide, and why. */
export interface SourceExplanation {
  readonly source: EvidenceSource;
  readonly reason: string;
}

/** Why a session is in its state. */
export interface Explanation {
  /** What judges: a runtime's rules, or the shell's. */
  readonly detector: string;
  readonly current: ActivityChange | undefined;
  readonly sources: readonly SourceExplanation[];
  readonly rules: readonly RuleExplanation[];
  /** The newest last. */
  readonly history: readonly ActivityChange[];
}

/** Changes that are remembered for an explanation. */
const MOST_CHANGES = 20;

export class ActivityHistory {
  #changes: readonly ActivityChange[] = [];

  add(change: ActivityChange): void {
    this.#changes = [...this.#changes, change].slice(-MOST_CHANGES);
  }

  get changes(): readonly ActivityChange[] {
    return this.#changes;
  }
}
