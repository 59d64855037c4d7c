/** How an agent is brought to its prompt without a network: its files, its environment, what its screen shows, its keys. */

import type { LiveAgent } from "../../../scripts/testing/agent-clis.ts";

export interface Place {
  /** Where the scripted model listens. */
  readonly modelUrl: string;
  readonly home: string;
  readonly project: string;
  /** False: the agent has not been told that it may trust the project. */
  readonly isTrusted: boolean;
}

export interface Recipe {
  readonly agent: LiveAgent;
  readonly env: Readonly<Record<string, string>>;
  /** Path below the home folder -> content. */
  readonly files: Readonly<Record<string, string>>;
  readonly screen: ScreenSigns;
  readonly keys: AgentKeys;
  readonly traits: Traits;
}

/** Patterns for the text of the screen. */
export interface ScreenSigns {
  readonly ready: RegExp;
  readonly question: RegExp;
  /** Shown while it works, of an agent that does not report its status: it draws the end after the model's last word. */
  readonly working?: RegExp;
  readonly trust?: RegExp;
}

/** Each entry is written on its own, as a user types. */
export interface AgentKeys {
  readonly approve: readonly string[];
  readonly deny: readonly string[];
  readonly interrupt: readonly string[];
  /** A command for the prompt. */
  readonly quit: string;
  /** The option of the trust question that says yes. */
  readonly trust?: string;
}

export interface Traits {
  /** The option that is marked can only be seen in its colours, so questions are answered by keys. */
  readonly marksByColour?: boolean;
  /** Tells which conversation it had only when it ends in order, so a killed one cannot be taken up again. */
  readonly namesConversationAtEnd?: boolean;
  /** Tries again for minutes, whatever the error is. */
  readonly retriesForever?: boolean;
  /** A refused tool is told to the model and the turn goes on. */
  readonly goesOnAfterDenial: boolean;
}
