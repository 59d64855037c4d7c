import { readPssMib } from "../process-cost.ts";
import type { Target } from "../targets/target.ts";
import type { BenchOptions, Measure, Round } from "./measure.ts";
import { nextSession } from "./measure.ts";

const SESSIONS = 50;
const QUICK_SESSIONS = 5;
/** Until collectors and allocators have given back what starting took. */
const SETTLE_MS = 3_000;

async function measureSessions(target: Target, { isQuick }: BenchOptions, script: string): Promise<Round> {
  const sessions = Array.from({ length: isQuick ? QUICK_SESSIONS : SESSIONS }, nextSession);
  for (const session of sessions) target.create(session, ["sh", "-c", script]);
  await Bun.sleep(SETTLE_MS);
  const total = target.sessionProcesses().reduce((sum, pid) => sum + readPssMib(pid), 0);
  for (const session of sessions) target.destroy(session);
  return { samples: [total / sessions.length] };
}

const LINES = `i=0; while [ $i -lt 1000 ]; do echo "line $i of a thousand, about as long as what a compiler prints for one file"; i=$((i + 1)); done`;

export const memoryIdle: Measure = {
  name: "memory-idle",
  title: "memory a session, 50 at once, idle (PSS, without the program in it)",
  unit: "MiB",
  targets: ["tmux", "pohunek"],
  bounds: [{ of: "pohunek", statistic: "p50", atMost: 10, milder: 11 }],
  rounds: () => 1,
  run: (target, options) => measureSessions(target, options, "exec sleep 1000"),
};

export const memoryLines: Measure = {
  name: "memory-lines",
  title: "memory a session, 50 at once, each with 1,000 lines printed",
  unit: "MiB",
  targets: ["tmux", "pohunek"],
  bounds: [{ of: "pohunek", statistic: "p50", atMost: 13 }],
  rounds: () => 1,
  run: (target, options) => measureSessions(target, options, `${LINES}; exec sleep 1000`),
};
