import type { Bound, Measure, Statistic } from "./measures/measure.ts";
import type { TargetName } from "./targets/target.ts";

interface TargetResult {
  readonly samples: number[];
  lostBytes: number | undefined;
}

export interface MeasureResult {
  readonly measure: Measure;
  readonly targets: Map<TargetName, TargetResult>;
}

const QUANTILES: Record<Statistic, number> = { p50: 0.5, p99: 0.99 };

function statisticOf(samples: readonly number[], statistic: Statistic): number {
  const sorted = [...samples].sort((a, b) => a - b);
  const place = (sorted.length - 1) * QUANTILES[statistic];
  const [low, high] = [sorted[Math.floor(place)] ?? Number.NaN, sorted[Math.ceil(place)] ?? Number.NaN];
  return low + (high - low) * (place - Math.floor(place));
}

interface Verdict {
  readonly bound: Bound;
  readonly value: number;
  readonly isMet: boolean;
}

function judge(bound: Bound, { targets }: MeasureResult): Verdict | undefined {
  const of = targets.get(bound.of);
  const to = bound.to === undefined ? undefined : targets.get(bound.to);
  if (of === undefined || (bound.to !== undefined && to === undefined)) return undefined;
  const base = to === undefined ? 1 : statisticOf(to.samples, bound.statistic);
  const value = statisticOf(of.samples, bound.statistic) / base;
  const isMet =
    value >= (bound.atLeast ?? Number.NEGATIVE_INFINITY) && value <= (bound.atMost ?? Number.POSITIVE_INFINITY);
  return { bound, value, isMet };
}

export function isWhole({ targets }: MeasureResult): boolean {
  return [...targets.values()].every(({ lostBytes }) => (lostBytes ?? 0) === 0);
}

/** Every bound that could be judged is met, and nothing was lost. */
export function isGood(result: MeasureResult): boolean {
  return isWhole(result) && result.measure.bounds.every((bound) => judge(bound, result)?.isMet ?? true);
}

const show = (value: number): string => (value >= 100 ? value.toFixed(0) : value.toPrecision(3));

function describeTarget(name: TargetName, { samples, lostBytes }: TargetResult, unit: string): string {
  const [min, max] = [Math.min(...samples), Math.max(...samples)];
  const spread =
    samples.length === 1
      ? ""
      : `  (${show(min)} to ${show(max)}, p99 ${show(statisticOf(samples, "p99"))}, n=${samples.length})`;
  const lost = lostBytes === undefined ? "" : `  ${lostBytes} bytes lost`;
  return `  ${name.padEnd(8)} ${show(statisticOf(samples, "p50")).padStart(7)} ${unit}${spread}${lost}`;
}

function describeVerdict({ bound, value, isMet }: Verdict): string {
  const limit = bound.atLeast === undefined ? `at most ${bound.atMost}` : `at least ${bound.atLeast}`;
  const what =
    bound.to === undefined ? `${bound.of} ${bound.statistic}` : `${bound.of} / ${bound.to}, ${bound.statistic}`;
  return `  ${isMet ? "reached" : "MISSED "}  ${what}: ${show(value)} (${limit})`;
}

export function describeResult(result: MeasureResult): string {
  const { measure, targets } = result;
  const lines = [...targets].map(([name, target]) => describeTarget(name, target, measure.unit));
  const verdicts = measure.bounds.flatMap((bound) => judge(bound, result) ?? []);
  return [`${measure.name}: ${measure.title}`, ...lines, ...verdicts.map(describeVerdict), ""].join("\n");
}

export function toJson(results: readonly MeasureResult[]): unknown {
  return results.map((result) => ({
    name: result.measure.name,
    title: result.measure.title,
    unit: result.measure.unit,
    targets: Object.fromEntries(
      [...result.targets].map(([name, { samples, lostBytes }]) => [
        name,
        { p50: statisticOf(samples, "p50"), p99: statisticOf(samples, "p99"), lostBytes, samples },
      ]),
    ),
    verdicts: result.measure.bounds.flatMap((bound) => judge(bound, result) ?? []),
  }));
}
