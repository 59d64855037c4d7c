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
  readonly trust?: RegExp;
}

/** Each entry is written on its own, as a user types. */
export interface AgentKeys {
  readonly approve: readonly string[];
  readonly deny: readonly string[];
  readonly interrupt: readonly string[];
  /** A command for the prompt. */
  readonly quit: string;
  readonly trust?: readonly string[];
}

export interface Traits {
  /** Says its state itself (OSC 7501). */
  readonly reportsStatus: boolean;
  /** A refused tool is told to the model and the turn goes on. */
  readonly goesOnAfterDenial: boolean;
  /** It has a tool with which the model asks the user. */
  readonly asksQuestions: boolean;
}
