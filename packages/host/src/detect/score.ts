import type { TimelineEntry } from "../agents/detection/replay.ts";

/** What was true in a part of a recording. */
export interface Label {
  readonly from: number;
  readonly to: number;
  readonly state: string;
  readonly note?: string;
}

export const TRUTHS = ["working", "blocked", "idle"] as const;
export type Truth = (typeof TRUTHS)[number];
export const VERDICTS = [...TRUTHS, "unknown"] as const;
export type VerdictWord = (typeof VERDICTS)[number];

export interface Miss {
  readonly kind: "blocked_missed" | "false_blocked" | "false_ready" | "late";
  readonly atMs: number;
  readonly truth: string;
  readonly told: VerdictWord;
  readonly note: string;
}

export interface Score {
  /** Samples by truth, then by what was told. */
  readonly confusion: Readonly<Record<Truth, Readonly<Record<VerdictWord, number>>>>;
  readonly misses: readonly Miss[];
}

/** Around each border of the labels: their truth comes from the driver, which sees and acts a little apart. */
const TOLERANCE_MS = 600;
/** In which a change must be told. */
const TOLD_WITHIN_MS = 1_000;
const SAMPLE_EVERY_MS = 100;

const TRUTH_OF: Readonly<Record<string, Truth>> = {
  idle: "idle",
  done: "idle",
  error: "idle",
  working: "working",
  blocked: "blocked",
};

/** Compares what was told with what was true, ten times a second. */
export function score(timeline: readonly TimelineEntry[], labels: readonly Label[]): Score {
  const confusion = emptyConfusion();
  const misses: Miss[] = [];
  for (const label of labels) {
    const truth = TRUTH_OF[label.state];
    const note = label.note ?? label.state;
    for (let atMs = label.from * 1_000; atMs < label.to * 1_000; atMs += SAMPLE_EVERY_MS) {
      if (isNearBorder(atMs, labels)) continue;
      const told = toldAt(timeline, atMs);
      if (truth !== undefined) confusion[truth][told] += 1;
      const kind = missOf(truth, told);
      if (kind !== undefined) misses.push({ kind, atMs, truth: label.state, told, note });
    }
    const late = truth === undefined ? undefined : lateness(timeline, label, truth);
    if (late !== undefined)
      misses.push({ kind: "late", atMs: label.from * 1_000, truth: label.state, told: late, note });
  }
  return { confusion, misses };
}

export function emptyConfusion(): Record<Truth, Record<VerdictWord, number>> {
  const row = (): Record<VerdictWord, number> => ({ working: 0, blocked: 0, idle: 0, unknown: 0 });
  return { working: row(), blocked: row(), idle: row() };
}

export function describeConfusion(confusion: Score["confusion"]): string {
  const cell = (text: string | number): string => String(text).padStart(9);
  const head = ["true \\ told", ...VERDICTS].map(cell).join("");
  const rows = TRUTHS.map(
    (truth) => cell(truth).padStart(11) + VERDICTS.map((word) => cell(confusion[truth][word])).join(""),
  );
  return [head, ...rows].join("\n");
}

function missOf(truth: Truth | undefined, told: VerdictWord): Miss["kind"] | undefined {
  if (truth === "blocked" && told !== "blocked") return told === "idle" ? "false_ready" : "blocked_missed";
  if (truth !== "blocked" && told === "blocked") return "false_blocked";
  return truth === "working" && told === "idle" ? "false_ready" : undefined;
}

/** What was told when it was time, if that is not the truth. A label that is over sooner has no time. */
function lateness(timeline: readonly TimelineEntry[], label: Label, truth: Truth): VerdictWord | undefined {
  const atMs = label.from * 1_000 + TOLD_WITHIN_MS;
  if (atMs >= label.to * 1_000 - TOLERANCE_MS) return undefined;
  const told = toldAt(timeline, atMs);
  return told === truth ? undefined : told;
}

function isNearBorder(atMs: number, labels: readonly Label[]): boolean {
  return labels.some(({ from, to }) => [from, to].some((edge) => Math.abs(atMs - edge * 1_000) < TOLERANCE_MS));
}

function toldAt(timeline: readonly TimelineEntry[], atMs: number): VerdictWord {
  return timeline.findLast((entry) => entry.atMs <= atMs)?.activity.activity ?? "unknown";
}
