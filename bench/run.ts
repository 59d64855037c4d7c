/**
 * `npm run bench`: a plain PTY, tmux and this product on the same work, taking turns in one run. Figures of two runs, or of two
 * machines, do not compare; the ratios do.
 *
 *   --only NAME,...   some of the measures      --runs N     rounds of each (default 5)
 *   --quick           small sizes, no figures   --json FILE  everything that was measured
 *   --targets NAME,...  some of plain, tmux, pohunek
 */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, release, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { installMissingTools } from "../scripts/machine-tools.ts";
import { attach } from "./measures/attach.ts";
import { bursts } from "./measures/bursts.ts";
import { create } from "./measures/create.ts";
import { crowd } from "./measures/crowd.ts";
import { echo } from "./measures/echo.ts";
import { floodAttach } from "./measures/flood-attach.ts";
import { idle } from "./measures/idle.ts";
import { idleOne } from "./measures/idle-one.ts";
import { interrupt } from "./measures/interrupt.ts";
import { list } from "./measures/list.ts";
import type { BenchOptions, Measure } from "./measures/measure.ts";
import { memoryIdle, memoryLines } from "./measures/memory.ts";
import { paste } from "./measures/paste.ts";
import { slowClient } from "./measures/slow-client.ts";
import { throughput } from "./measures/throughput.ts";
import type { MeasureResult } from "./report.ts";
import { addRound, describeResult, isGood, isWhole, toJson } from "./report.ts";
import { runCommand } from "./targets/command.ts";
import { openPlain } from "./targets/plain.ts";
import { openPohunek } from "./targets/pohunek.ts";
import type { Target, TargetName } from "./targets/target.ts";
import { openTmux } from "./targets/tmux.ts";

const MEASURES: readonly Measure[] = [
  throughput,
  echo,
  attach,
  list,
  create,
  paste,
  memoryIdle,
  memoryLines,
  idle,
  idleOne,
  crowd,
  slowClient,
  interrupt,
  floodAttach,
  bursts,
];

async function runMeasure(measure: Measure, targets: readonly Target[], options: BenchOptions): Promise<MeasureResult> {
  const result: MeasureResult = { measure, targets: new Map() };
  const taking = targets.filter(({ name }) => measure.targets.includes(name));
  for (let round = 0; round < measure.rounds(options); round++) {
    for (const target of taking) {
      addRound(result, target.name, await measure.run(target, options));
    }
  }
  return result;
}

interface Arguments {
  readonly measures: readonly Measure[];
  readonly targets: readonly TargetName[];
  readonly runs: number;
  readonly isQuick: boolean;
  readonly jsonFile: string | undefined;
}

function chooseNamed<T extends string>(wanted: string | undefined, known: readonly T[]): T[] {
  if (wanted === undefined) return [...known];
  return wanted.split(",").map((name) => {
    const found = known.find((each) => each === name);
    if (found === undefined) throw new Error(`"${name}" is not one of ${known.join(", ")}`);
    return found;
  });
}

function readArguments(): Arguments {
  const text = { type: "string" } as const;
  const options = { only: text, targets: text, runs: text, json: text, quick: { type: "boolean" } } as const;
  const { values } = parseArgs({ options });
  const names = chooseNamed(
    values.only,
    MEASURES.map(({ name }) => name),
  );
  return {
    measures: MEASURES.filter(({ name }) => names.includes(name)),
    targets: chooseNamed(values.targets, ["plain", "tmux", "pohunek"]),
    runs: Number(values.runs ?? (values.quick === true ? 1 : 5)),
    isQuick: values.quick === true,
    jsonFile: values.json,
  };
}

async function openTarget(name: TargetName, folder: string): Promise<Target> {
  const env = {
    PATH: process.env.PATH ?? "",
    HOME: folder,
    SHELL: "/bin/sh",
    TERM: "xterm-256color",
    LC_ALL: "C.UTF-8",
  };
  if (name === "plain") return openPlain(env);
  if (name === "tmux") return openTmux(join(folder, "t"), env);
  return openPohunek(join(folder, "p"), env);
}

function describeMachine(): { cpu: string; cores: number; kernel: string; bun: string } {
  return { cpu: cpus()[0]?.model ?? "unknown", cores: cpus().length, kernel: release(), bun: Bun.version };
}

async function runBench({ measures, targets: names, runs, isQuick, jsonFile }: Arguments): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), "pb-"));
  await using targets = new AsyncDisposableStack();
  targets.defer(() => rmSync(folder, { recursive: true, force: true }));
  const opened: Target[] = [];
  for (const name of names) opened.push(targets.use(await openTarget(name, folder)));

  const machine = describeMachine();
  console.log(`${machine.cpu}, ${machine.cores} cores, Linux ${machine.kernel}; ${runs} rounds, taking turns\n`);
  const results: MeasureResult[] = [];
  for (const measure of measures) {
    const result = await runMeasure(measure, opened, { folder, runs, isQuick });
    console.log(describeResult(result));
    results.push(result);
  }
  if (jsonFile !== undefined)
    writeFileSync(jsonFile, `${JSON.stringify({ machine, runs, isQuick, measures: toJson(results) }, null, 2)}\n`);
  // Quick figures mean nothing, but a lost byte does.
  return results.every((result) => (isQuick ? isWhole(result) : isGood(result)));
}

const args = readArguments();
for (const sentence of installMissingTools()) console.log(sentence);
runCommand([process.execPath, join(import.meta.dir, "../scripts/build.ts")], { PATH: process.env.PATH ?? "" });
const isEverythingReached = await runBench(args);
if (!isEverythingReached) console.log("something was missed or lost");
process.exitCode = isEverythingReached ? 0 : 1;
