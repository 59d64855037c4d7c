import type { ActivityDetailKind, AgentActivity, StateSource } from "@pohunek/protocol/wire";
import type { ProgramStatus } from "../../worker-api/program-status.ts";
import type { Activity, ActivityDetail, EvidenceSource, VisibleQuestion } from "./activity.ts";
import type { DetectionRegion } from "./manifest.ts";
import type { RuleMatch } from "./rule-match.ts";

/** What one source says now. Activity undefined: it says that nothing is known. */
export interface Verdict {
  readonly activity: AgentActivity | undefined;
  readonly detail: ActivityDetail;
}

/** What an agent tells on a channel of its own, already translated into our words. */
export interface ChannelReport {
  readonly activity: AgentActivity;
  readonly detail?: ActivityDetailKind;
  readonly text?: string;
}

const WIRE_SOURCES: Readonly<Record<EvidenceSource, StateSource>> = {
  osc_7501: "report",
  channel: "report",
  osc_title: "osc_title",
  osc_progress: "osc_progress",
  screen: "screen",
  pty_activity: "process",
  process: "process",
};

export function wireSource({ detail }: Verdict): StateSource {
  return WIRE_SOURCES[detail.evidence.source];
}

export function sourceOfRegion(region: DetectionRegion): EvidenceSource {
  return region === "title" ? "osc_title" : region === "progress" ? "osc_progress" : "screen";
}

const BLOCKED_KINDS: Readonly<Record<string, ActivityDetailKind>> = {
  permission: "approval",
  question: "question",
  auth: "auth",
};

/** The records of OSC 7501 together: whoever needs the user comes first, then the program's own state, then its parts. */
export function verdictOfStatus(records: readonly ProgramStatus[]): Verdict {
  const own = records.find(({ id }) => id === undefined);
  const parts = records.filter(({ id }) => id !== undefined);
  const blocked = own?.state === "blocked" ? own : parts.find(({ state }) => state === "blocked");
  if (blocked !== undefined) {
    return { activity: "blocked", detail: detailOf(blocked, BLOCKED_KINDS[blocked.kind ?? ""] ?? "question") };
  }
  if (own === undefined) {
    return { activity: undefined, detail: { kind: "unknown", evidence: { source: "osc_7501", rule: "clear" } } };
  }
  if (own.state === "working") {
    return { activity: "working", detail: detailOf(own, undefined) };
  }
  const busy = parts.find(({ state }) => state === "working");
  if (busy !== undefined) {
    // The program takes prompts, but something that it started goes on.
    return { activity: "working", detail: detailOf(busy, "background") };
  }
  return { activity: "idle", detail: detailOf(own, own.state === "error" ? "error" : undefined) };
}

function detailOf(record: ProgramStatus, kind: ActivityDetailKind | undefined): ActivityDetail {
  const text = record.msg ?? record.title;
  const rule = [record.state, record.kind, record.id].filter((part) => part !== undefined).join(" ");
  return {
    ...(kind === undefined ? {} : { kind }),
    ...(text === undefined ? {} : { text }),
    evidence: { source: "osc_7501", rule, ...(text === undefined ? {} : { matchedText: text }) },
  };
}

export function verdictOfChannel({ activity, detail, text }: ChannelReport): Verdict {
  return {
    activity,
    detail: {
      ...(detail === undefined ? {} : { kind: detail }),
      ...(text === undefined ? {} : { text }),
      evidence: { source: "channel", rule: activity },
    },
  };
}

export function verdictOfRule({ rule, region, matchedText, question, untilMs, text }: RuleMatch): Verdict {
  return {
    activity: rule.state,
    detail: {
      ...(rule.detail === undefined ? {} : { kind: rule.detail }),
      ...(question === undefined ? {} : { question }),
      ...(untilMs === undefined ? {} : { untilMs }),
      ...(text === undefined ? {} : { text }),
      evidence: { source: sourceOfRegion(rule.region), rule: rule.id, region, matchedText },
    },
  };
}

/** A question that the program told of, with what the screen says about it. */
export function withQuestion(told: Verdict, match: RuleMatch | undefined): Verdict {
  if (match?.question === undefined) return told;
  // A program that names no kind may show one.
  const kind = told.detail.evidence.rule === "blocked" ? (match.rule.detail ?? told.detail.kind) : told.detail.kind;
  return { ...told, detail: { ...told.detail, ...(kind === undefined ? {} : { kind }), question: match.question } };
}

/** A state that the program told, with what the screen says beyond it. */
export function withDetail(told: Verdict, match: RuleMatch | undefined): Verdict {
  if (match?.rule.detail === undefined) return told;
  const { rule, untilMs, text } = match;
  const more = { ...(untilMs === undefined ? {} : { untilMs }), ...(text === undefined ? {} : { text }) };
  return { ...told, detail: { ...told.detail, kind: rule.detail, ...more } };
}

export function verdictOfActivity(): Verdict {
  return { activity: "working", detail: { evidence: { source: "pty_activity" } } };
}

export function unknownVerdict(source: EvidenceSource): Verdict {
  return { activity: undefined, detail: { kind: "unknown", evidence: { source } } };
}

/** Equal for whoever waits for a change. When a limit ends moves with the clock, and evidence alone is no change. */
export function isSameState(verdict: Verdict, activity: Activity | undefined): boolean {
  return (
    activity !== undefined &&
    verdict.activity === activity.activity &&
    verdict.detail.kind === activity.detail?.kind &&
    isSameQuestion(verdict.detail.question, activity.detail?.question)
  );
}

/** Where the marker stands is the user's business while the question is the same. */
export function isSameQuestion(one: VisibleQuestion | undefined, other: VisibleQuestion | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return (
    wordsOf(one.text) === wordsOf(other.text) &&
    one.options.length === other.options.length &&
    one.options.every(({ label, key }, at) => label === other.options[at]?.label && key === other.options[at]?.key)
  );
}

/** Marks that blink or turn beside a question are not the question. */
function wordsOf(text: string): string {
  return text.replace(/[^\p{L}\p{N}]+/gu, " ").trim();
}
