import { runCommand } from "../targets/command.ts";
import type { Target } from "../targets/target.ts";
import type { BenchOptions, Measure, Round } from "./measure.ts";
import { nextSession } from "./measure.ts";

const SESSIONS = 20;
const CALLS = 10;

function run(target: Target, { isQuick }: BenchOptions): Round {
  const sessions = Array.from({ length: isQuick ? 3 : SESSIONS }, nextSession);
  for (const session of sessions) target.create(session, ["sleep", "1000"]);
  const samples: number[] = [];
  const command = target.listCommand();
  for (let call = 0; call <= CALLS; call++) {
    const startedAt = performance.now();
    const listed = runCommand(command, target.env);
    // The first call finds cold files.
    if (call > 0) samples.push(performance.now() - startedAt);
    const missing = sessions.filter((session) => !listed.includes(session));
    if (missing.length > 0) throw new Error(`${target.name} does not list ${missing.join(", ")}: ${listed}`);
  }
  for (const session of sessions) target.destroy(session);
  return { samples };
}

export const list: Measure = {
  name: "ls",
  title: "list 20 sessions",
  unit: "ms",
  targets: ["tmux", "pohunek"],
  bounds: [{ of: "pohunek", to: "tmux", statistic: "p50", atMost: 3 }],
  rounds: ({ runs, isQuick }) => (isQuick ? 1 : runs),
  run,
};
