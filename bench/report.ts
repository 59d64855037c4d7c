import type { Bound, Measure, Round, Statistic } from "./measures/measure.ts";
import type { TargetName } from "./targets/target.ts";

interface TargetResult {
  readonly samples: number[];
  readonly facts: Map<string, number[]>;
  lostBytes: number | undefined;
}

export interface MeasureResult {
  readonly measure: Measure;
  readonly targets: Map<TargetName, TargetResult>;
}

const QUANTILES: Record<Statistic, number> = { p50: 0.5, p95: 0.95, p99: 0.99 };

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
  const valueOf = ({ samples, facts }: TargetResult): number =>
    statisticOf(bound.fact === undefined ? samples : (facts.get(bound.fact) ?? []), bound.statistic);
  const value = valueOf(of) / (to === undefined ? 1 : valueOf(to));
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

/** Adds a round of a target to what its rounds before gave. */
export function addRound({ targets }: MeasureResult, name: TargetName, round: Round): void {
  const soFar = targets.get(name) ?? { samples: [], facts: new Map<string, number[]>(), lostBytes: undefined };
  soFar.samples.push(...round.samples);
  for (const [fact, values] of Object.entries(round.facts ?? {}))
    soFar.facts.set(fact, [...(soFar.facts.get(fact) ?? []), ...values]);
  if (round.lostBytes !== undefined) soFar.lostBytes = (soFar.lostBytes ?? 0) + round.lostBytes;
  targets.set(name, soFar);
}

const show = (value: number): string => (value >= 100 ? value.toFixed(0) : value.toPrecision(3));

function describeSpread(samples: readonly number[]): string {
  if (samples.length === 1) return "";
  const [min, max] = [Math.min(...samples), Math.max(...samples)];
  return `  (${show(min)} to ${show(max)}, p99 ${show(statisticOf(samples, "p99"))}, n=${samples.length})`;
}

function describeTarget(name: TargetName, { samples, facts, lostBytes }: TargetResult, unit: string): string {
  const lost = lostBytes === undefined ? "" : `  ${lostBytes} bytes lost`;
  const median = (values: readonly number[]): string => show(statisticOf(values, "p50")).padStart(7);
  const lines = [...facts].map(
    ([fact, values]) => `${" ".repeat(11)}${median(values)} ${fact}${describeSpread(values)}`,
  );
  return [`  ${name.padEnd(8)} ${median(samples)} ${unit}${describeSpread(samples)}${lost}`, ...lines].join("\n");
}

function describeVerdict({ bound, value, isMet }: Verdict): string {
  const limit = bound.atLeast === undefined ? `at most ${bound.atMost}` : `at least ${bound.atLeast}`;
  const milder = bound.milder === undefined ? "" : `; issue 2 asked for ${bound.milder}`;
  const subject = bound.to === undefined ? bound.of : `${bound.of} / ${bound.to}`;
  const fact = bound.fact === undefined ? "" : `, ${bound.fact}`;
  return `  ${isMet ? "reached" : "MISSED "}  ${subject}${fact}, ${bound.statistic}: ${show(value)} (${limit}${milder})`;
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
      [...result.targets].map(([name, { samples, facts, lostBytes }]) => [
        name,
        {
          p50: statisticOf(samples, "p50"),
          p95: statisticOf(samples, "p95"),
          p99: statisticOf(samples, "p99"),
          lostBytes,
          samples,
          facts: Object.fromEntries(facts),
        },
      ]),
    ),
    verdicts: result.measure.bounds.flatMap((bound) => judge(bound, result) ?? []),
  }));
}
