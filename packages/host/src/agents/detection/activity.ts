import type { ActivityDetailKind, AgentActivity, ChoiceWay, StateSource } from "@pohunek/protocol/wire";

/** What a session's program does now, as far as it is known. */
export interface Activity {
  /** Undefined: not known, which is not the same as idle. */
  readonly activity: AgentActivity | undefined;
  readonly source: StateSource;
  /** Counts the changes of this session's activity, its detail and its question since the daemon started. */
  readonly revision: number;
  readonly detail?: ActivityDetail;
  /** Names the question of the detail; the same while it stands, whichever source tells of it. */
  readonly questionRevision?: number;
}

export interface ActivityDetail {
  /** Absent: nothing but the evidence is known beyond the activity. */
  readonly kind?: ActivityDetailKind;
  /** When a limit ends: milliseconds since 1970. */
  readonly untilMs?: number;
  /** What the program says it waits for or failed at. Untrusted. */
  readonly text?: string;
  readonly question?: VisibleQuestion;
  readonly evidence: Evidence;
}

/** A question as the screen shows it. Untrusted text. */
export interface VisibleQuestion {
  readonly text: string;
  readonly options: readonly VisibleOption[];
  /** How an option is chosen; undefined: not known. */
  readonly choose?: ChoiceWay;
}

export interface VisibleOption {
  /** Its number or letter, when it shows one. */
  readonly key?: string;
  readonly label: string;
  readonly isSelected: boolean;
}

/** Sources by rank: each counts only while none above it has spoken in this process. */
export const EVIDENCE_SOURCES = [
  "osc_7501",
  "channel",
  "osc_title",
  "osc_progress",
  "screen",
  "pty_activity",
  "process",
] as const;
export type EvidenceSource = (typeof EVIDENCE_SOURCES)[number];

export interface Evidence {
  readonly source: EvidenceSource;
  readonly rule?: string;
  readonly region?: string;
  readonly matchedText?: string;
}
