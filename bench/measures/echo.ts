import { OuterTerminal } from "../outer-terminal.ts";
import type { Target } from "../targets/target.ts";
import type { BenchOptions, Measure, Round } from "./measure.ts";
import { nextSession } from "./measure.ts";

const KEYS = 300;
const QUICK_KEYS = 40;
/** Between two keys, so that the second does not meet the work that the first still causes. */
const GAP_MS = 12;
const ALPHABET = "abcdefghijklmnopqrstuvwxyz";

function run(target: Target, { isQuick }: BenchOptions): Round {
  const session = nextSession();
  // The kernel echoes in the session's own terminal, so no program adds its time.
  target.create(session, ["sh", "-c", "printf 'REA''DY'; exec sleep 1000"]);
  using client = new OuterTerminal({ argv: target.attachCommand(session), env: target.env });
  client.readUntil("READY");
  client.readUntilQuiet(200);
  const samples: number[] = [];
  for (let index = 0; index < (isQuick ? QUICK_KEYS : KEYS); index++) {
    const key = ALPHABET.charAt(index % ALPHABET.length);
    // A new line from time to time: a row that wraps is another kind of work.
    if (index % 100 === 99) {
      client.write("\r");
      client.readUntilQuiet(50);
    }
    const startedAt = performance.now();
    client.write(key);
    samples.push(client.readUntil(key, 5_000) - startedAt);
    client.readFor(GAP_MS + (index % 5));
    client.readUntilQuiet(1);
  }
  target.destroy(session);
  return { samples };
}

export const echo: Measure = {
  name: "echo",
  title: "a key until it is on the screen",
  unit: "ms",
  targets: ["plain", "tmux", "pohunek"],
  bounds: [
    { of: "pohunek", to: "tmux", statistic: "p50", atMost: 3, milder: 3.5 },
    { of: "pohunek", to: "tmux", statistic: "p99", atMost: 2 },
  ],
  rounds: ({ runs }) => runs,
  run,
};
