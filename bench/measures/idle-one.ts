import { readCpuMs, readWakeUps } from "../process-cost.ts";
import type { Target } from "../targets/target.ts";
import type { BenchOptions, Measure, Round } from "./measure.ts";
import { nextSession } from "./measure.ts";

const SETTLE_MS = 5_000;
const WATCH_MS = 10_000;
const QUICK_MS = 500;

async function run(target: Target, { isQuick }: BenchOptions): Promise<Round> {
  const session = nextSession();
  target.create(session, ["sleep", "1000"]);
  await Bun.sleep(isQuick ? QUICK_MS : SETTLE_MS);
  const pids = target.sessionProcesses();
  const sum = (read: (pid: number) => number): number => pids.reduce((total, pid) => total + read(pid), 0);
  const before = { cpuMs: sum(readCpuMs), wakeUps: sum(readWakeUps) };
  await Bun.sleep(isQuick ? QUICK_MS : WATCH_MS);
  const samples = [sum(readCpuMs) - before.cpuMs];
  const wakeUps = sum(readWakeUps) - before.wakeUps;
  target.destroy(session);
  return { samples, facts: { "wake-ups": [wakeUps] } };
}

export const idleOne: Measure = {
  name: "idle-one",
  title: "processor time that the keeper of one idle session takes in 10 s",
  unit: "ms",
  targets: ["tmux", "pohunek"],
  bounds: [{ of: "pohunek", statistic: "p50", atMost: 0 }],
  rounds: () => 1,
  run,
};
