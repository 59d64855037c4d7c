import { readCpuMs } from "../process-cost.ts";
import type { Target } from "../targets/target.ts";
import type { BenchOptions, Measure, Round } from "./measure.ts";
import { nextSession } from "./measure.ts";

const SESSIONS = 100;
const QUICK_SESSIONS = 5;
const SETTLE_MS = 5_000;
const WATCH_MS = 10_000;
const QUICK_WATCH_MS = 1_000;

async function run(target: Target, { isQuick }: BenchOptions): Promise<Round> {
  const sessions = Array.from({ length: isQuick ? QUICK_SESSIONS : SESSIONS }, nextSession);
  for (const session of sessions) target.create(session, ["sleep", "1000"]);
  await Bun.sleep(SETTLE_MS);
  const pids = [...target.sessionProcesses(), ...target.serverProcesses()];
  const readAll = (): number => pids.reduce((sum, pid) => sum + readCpuMs(pid), 0);
  const [cpuBefore, startedAt] = [readAll(), performance.now()];
  await Bun.sleep(isQuick ? QUICK_WATCH_MS : WATCH_MS);
  const percent = (100 * (readAll() - cpuBefore)) / (performance.now() - startedAt);
  for (const session of sessions) target.destroy(session);
  return { samples: [percent] };
}

export const idle: Measure = {
  name: "idle",
  title: "processor time of 100 idle sessions, workers and daemon",
  unit: "% of a core",
  targets: ["tmux", "pohunek"],
  bounds: [{ of: "pohunek", statistic: "p50", atMost: 5 }],
  rounds: () => 1,
  run,
};
