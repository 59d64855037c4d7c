import { OuterTerminal, SCREEN } from "../outer-terminal.ts";
import type { Target } from "../targets/target.ts";
import type { Measure, Round } from "./measure.ts";
import { nextSession } from "./measure.ts";

/** tmux takes a row for its status line. */
const LAST_ROW = SCREEN.rows - 1;
/**
 * The flood scrolls above a last row that is drawn once: who sees that row was given the whole screen. It is drawn again for
 * another size, which tmux gives a session that is attached for the first time.
 */
const FLOOD = `draw() { printf '\\033[1;${LAST_ROW - 1}r\\033[${LAST_ROW};1HLAST''ROW\\033[1;1H'; }
trap draw WINCH; draw
while :; do echo "a line of a flood, about as long as what a compiler prints for one file of its input"; done`;

/** The flood runs by then; nothing tells so without attaching. */
const RUNNING_MS = 300;

async function run(target: Target): Promise<Round> {
  const session = nextSession();
  target.create(session, ["sh", "-c", FLOOD]);
  await Bun.sleep(RUNNING_MS);
  let milliseconds: number;
  {
    using client = new OuterTerminal({ argv: target.attachCommand(session), env: target.env });
    milliseconds = client.readUntil("LASTROW") - client.startedAt;
  }
  target.destroy(session);
  return { samples: [milliseconds] };
}

export const floodAttach: Measure = {
  name: "attach-flood",
  title: "attach to a flooding session until the first whole screen is there",
  unit: "ms",
  targets: ["tmux", "pohunek"],
  bounds: [{ of: "pohunek", to: "tmux", statistic: "p50", atMost: 2 }],
  rounds: ({ runs, isQuick }) => (isQuick ? 2 : runs * 5),
  run,
};
