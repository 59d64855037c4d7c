import type { AgentActivity, ChoiceWay } from "@pohunek/protocol/wire";
import type { Pattern } from "./pattern.ts";

/**
 * The parts of a terminal that rules look at. Rows of blanks and frames alone are passed over. `tail`, `last_lines`,
 * `above_composer` and `below_composer` count rows from the bottom, or from the composer.
 */
export const DETECTION_REGIONS = [
  "screen",
  "head",
  "tail",
  "last_lines",
  "last_line",
  "composer",
  "above_composer",
  "below_composer",
  "title",
  "progress",
] as const;
export type DetectionRegion = (typeof DETECTION_REGIONS)[number];

/** What a rule may say beyond the activity. `unknown` and `stuck` are never said by a rule. */
export const RULE_DETAILS = [
  "background",
  "retrying",
  "rate_limited",
  "error",
  "approval",
  "question",
  "trust",
  "auth",
] as const;
export type RuleDetail = (typeof RULE_DETAILS)[number];

/** What detection.toml says, parsed and checked. */
export interface DetectionManifest {
  /** How the line in which a prompt is written is found: the last such row near the bottom. */
  readonly composer?: ComposerRule;
  /** Sorted: those that look at title or progress first, then by priority, then as written. Empty: nothing is detected. */
  readonly rules: readonly DetectionRule[];
}

export interface ComposerRule {
  readonly pattern: Pattern;
  /** Rows with text, from the bottom, among which it is searched. */
  readonly within: number;
}

export interface DetectionRule {
  readonly id: string;
  readonly state: AgentActivity;
  readonly detail?: RuleDetail;
  readonly priority: number;
  /** Where its first gate looks; names the source of the verdict. */
  readonly region: DetectionRegion;
  readonly gate: Gate;
  readonly capture?: RuleCapture;
  readonly choose?: ChoiceWay;
}

/** Conditions on the text of a region. `contains` sees it as flowing text: frames gone, white space as single blanks. */
export type Gate =
  | { readonly kind: "contains"; readonly place: GatePlace; readonly text: string }
  | { readonly kind: "pattern"; readonly place: GatePlace; readonly pattern: Pattern }
  | { readonly kind: "all"; readonly gates: readonly Gate[] }
  | { readonly kind: "any"; readonly gates: readonly Gate[] }
  | { readonly kind: "not"; readonly gate: Gate };

export interface GatePlace {
  readonly region: DetectionRegion;
  /** Rows of the region, for those that count rows. */
  readonly lines: number;
}

/** What else is read when the rule holds. */
export interface RuleCapture {
  readonly place: GatePlace;
  /**
   * The first row of the dialog, often a frame: the last one like this above the options. Nothing before it is read;
   * where there is none, a rule about the title reads nothing.
   */
  readonly begin?: Pattern;
  /** In flowing text; group `question`, or else all of the match. */
  readonly question?: Pattern;
  /** Each match is an option: groups `label`, `key`, `marker` (not empty: it is the selected one). */
  readonly options?: Pattern;
  /** In flowing text; group `until` or all: a time, a duration or a date. */
  readonly until?: Pattern;
  /** In flowing text; group `text` or all: what failed, or what is waited for. */
  readonly text?: Pattern;
}

export const MANIFEST_LIMITS = {
  rules: 128,
  gates: 512,
  matchers: 1_024,
  depth: 8,
  sourceBytes: 262_144,
  matcherBytes: 4_096,
  /** Rows that a gate may ask for. */
  lines: 64,
  idLength: 64,
} as const;

/** Rows of a region when a gate names no number. */
export const REGION_LINES: Readonly<Record<DetectionRegion, number>> = {
  screen: MANIFEST_LIMITS.lines,
  head: 6,
  tail: 24,
  last_lines: 5,
  last_line: 1,
  composer: 1,
  above_composer: 6,
  below_composer: 4,
  title: 1,
  progress: 1,
};
