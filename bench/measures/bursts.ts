import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Target } from "../targets/target.ts";
import { logLines } from "./log-lines.ts";
import type { BenchOptions, Measure, Round } from "./measure.ts";
import { nextSession } from "./measure.ts";

const BURSTS = 300;
const QUICK_BURSTS = 10;
const BURST_BYTES = 65_536;

/** A program that prints and ends at once, with nobody attached: the kernel would throw away what is not read in time. */
function run(target: Target, { folder, isQuick }: BenchOptions): Round {
  if (target.readOutput === undefined) throw new Error(`${target.name} keeps no output`);
  const file = join(folder, "burst.txt");
  const text = logLines(BURST_BYTES);
  writeFileSync(file, text);
  const wanted = text.replaceAll("\n", "\r\n");
  const samples: number[] = [];
  let lostBytes = 0;
  for (let burst = 0; burst < (isQuick ? QUICK_BURSTS : BURSTS); burst++) {
    const session = nextSession();
    const startedAt = performance.now();
    target.create(session, ["cat", file]);
    const got = target.readOutput(session);
    samples.push(performance.now() - startedAt);
    if (got !== wanted) lostBytes += Math.max(1, wanted.length - got.length);
    target.destroy(session);
  }
  return { samples, lostBytes };
}

export const bursts: Measure = {
  name: "bursts",
  title: "300 programs that print 64 KiB and end, until all of it was read back",
  unit: "ms",
  targets: ["pohunek"],
  bounds: [],
  rounds: () => 1,
  run,
};
