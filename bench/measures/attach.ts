import { OuterTerminal } from "../outer-terminal.ts";
import type { Target } from "../targets/target.ts";
import type { Measure, Round } from "./measure.ts";
import { nextSession } from "./measure.ts";

const FILL_SCREEN = `i=1
while [ $i -lt 50 ]; do printf '\\033[3%dmrow %d %0150d\\033[0m\\n' $((i % 8)) $i $i; i=$((i + 1)); done
printf 'LAST''ROW'; exec sleep 1000`;

/** The session has drawn by then; nothing tells so without attaching. */
const DRAWN_MS = 500;

async function run(target: Target): Promise<Round> {
  const session = nextSession();
  target.create(session, ["sh", "-c", FILL_SCREEN]);
  await Bun.sleep(DRAWN_MS);
  using client = new OuterTerminal({ argv: target.attachCommand(session), env: target.env });
  const milliseconds = client.readUntil("LASTROW") - client.startedAt;
  client.readUntilQuiet(30);
  target.destroy(session);
  return { samples: [milliseconds] };
}

export const attach: Measure = {
  name: "attach",
  title: "attach until the last of 50 coloured rows is there",
  unit: "ms",
  targets: ["tmux", "pohunek"],
  bounds: [{ of: "pohunek", to: "tmux", statistic: "p50", atMost: 2, milder: 2.5 }],
  rounds: ({ runs, isQuick }) => (isQuick ? 2 : runs * 5),
  run,
};
