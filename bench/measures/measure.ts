import type { Target, TargetName } from "../targets/target.ts";

export interface BenchOptions {
  /** A folder for files of the benchmark; short, and gone afterwards. */
  readonly folder: string;
  readonly runs: number;
  /** Small sizes, to see that everything works; the figures mean nothing. */
  readonly isQuick: boolean;
}

/** What one round on one target gave: figures in the measure's unit, and what was lost. */
export interface Round {
  readonly samples: readonly number[];
  /** What else was seen, by what it is called, with the unit in the name. */
  readonly facts?: Readonly<Record<string, readonly number[]>>;
  /** Bytes that should have arrived as they were sent and did not; undefined where the target changes them on purpose. */
  readonly lostBytes?: number | undefined;
}

export type Statistic = "p50" | "p95" | "p99";

/** A figure that must be reached, of one target alone or as a ratio to another. */
export interface Bound {
  readonly of: TargetName;
  readonly to?: TargetName;
  readonly statistic: Statistic;
  /** Judges this fact instead of the samples. */
  readonly fact?: string;
  readonly atLeast?: number;
  readonly atMost?: number;
  /** The milder limit that was asked for first, where the design asks for more: told, not judged. */
  readonly milder?: number;
}

export interface Measure {
  readonly name: string;
  readonly title: string;
  readonly unit: string;
  readonly targets: readonly TargetName[];
  readonly bounds: readonly Bound[];
  /** Rounds for one target; the targets take turns. */
  rounds(options: BenchOptions): number;
  run(target: Target, options: BenchOptions): Promise<Round> | Round;
}

/** Names are never used twice, so that nothing of an earlier round can answer. */
export const nextSession = (
  (count) => (): string =>
    `b${count++}`
)(1);
