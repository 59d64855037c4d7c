import type { SessionInfoReply } from "@pohunek/protocol";
import { decimal } from "@pohunek/protocol/wire";
import type { Activity, VisibleQuestion } from "../agents/detection/activity.ts";

type WireDetail = NonNullable<SessionInfoReply["activity_detail"]>;

/** Characters of a text that came from a program; its bytes are at most four times as many, which the protocol takes. */
const MOST_TEXT = 1_000;

/** What is known beyond the activity, as the public protocol shows it. Undefined when nothing is. */
export function activityDetailOf({ detail, revision, questionRevision = revision }: Activity): WireDetail | undefined {
  if (detail === undefined) {
    return undefined;
  }
  const { kind, untilMs, text, question, evidence } = detail;
  return {
    ...(kind === undefined ? {} : { kind }),
    ...(untilMs === undefined ? {} : { until: new Date(untilMs).toISOString() }),
    ...(text === undefined ? {} : { text: bounded(text) }),
    ...(question === undefined ? {} : { question: questionOf(question, questionRevision) }),
    evidence: {
      source: evidence.source,
      ...(evidence.rule === undefined ? {} : { rule: evidence.rule }),
      ...(evidence.region === undefined ? {} : { region: evidence.region }),
      ...(evidence.matchedText === undefined ? {} : { matched_text: bounded(evidence.matchedText) }),
    },
  };
}

function questionOf({ text, options, choose }: VisibleQuestion, revision: number): NonNullable<WireDetail["question"]> {
  return {
    text: bounded(text),
    options: options.map(({ key, label, isSelected }) => ({
      ...(key === undefined ? {} : { key: bounded(key) }),
      label: bounded(label),
      selected: isSelected,
    })),
    ...(choose === undefined ? {} : { choose }),
    revision: decimal(revision),
  };
}

function bounded(text: string): string {
  return text.slice(0, MOST_TEXT);
}
