import { OuterTerminal } from "../outer-terminal.ts";
import type { Target } from "../targets/target.ts";
import type { BenchOptions, Measure, Round } from "./measure.ts";
import { nextSession } from "./measure.ts";

const TIMES = 20;
const QUICK_TIMES = 3;
/** So long the flood has been running when it is stopped: every buffer on its way is full by then. */
const FLOOD_MS = 200;
const INTERRUPT = "\x03";
const LINE = "a line of a flood, about as long as what a compiler prints for one file of its input";

/** Ctrl-C is typed while a program floods the screen; stopped is what the person sees, not what the program knows. */
function run(target: Target, { isQuick }: BenchOptions): Round {
  const session = nextSession();
  const loop = `while :; do read x; yes '${LINE}'; printf '\\nSTOP''PED\\n'; done`;
  target.create(session, ["sh", "-c", `trap : INT; stty -echo; printf 'REA''DY'; ${loop}`]);
  using client = new OuterTerminal({ argv: target.attachCommand(session), env: target.env });
  client.readUntil("READY");
  const samples: number[] = [];
  for (let time = 0; time < (isQuick ? QUICK_TIMES : TIMES); time++) {
    client.readUntilQuiet(50);
    client.write("\r");
    client.readFor(FLOOD_MS);
    const startedAt = performance.now();
    client.write(INTERRUPT);
    samples.push(client.readUntil("STOPPED") - startedAt);
  }
  target.destroy(session);
  return { samples };
}

export const interrupt: Measure = {
  name: "interrupt",
  title: "Ctrl-C under a flood until it is seen to have stopped",
  unit: "ms",
  targets: ["plain", "tmux", "pohunek"],
  bounds: [{ of: "pohunek", statistic: "p95", atMost: 150 }],
  rounds: ({ runs }) => runs,
  run,
};
