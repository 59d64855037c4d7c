import { createHash } from "node:crypto";
import { Area } from "../descriptor.ts";
import { OuterTerminal } from "../outer-terminal.ts";
import type { Target } from "../targets/target.ts";
import type { Measure, Round } from "./measure.ts";
import { nextSession } from "./measure.ts";

const PASTE_BYTES = 1_000_000;
const SENTENCE = "The quick brown fox jumps over the lazy dog 0123456789 ";

function run(target: Target): Round {
  const session = nextSession();
  const script = `stty raw -echo; printf 'REA''DY'; head -c ${PASTE_BYTES} | md5sum; printf 'DO''NE'; exec sleep 1000`;
  target.create(session, ["sh", "-c", script]);
  const area = new Area(PASTE_BYTES);
  area.bytes.set(Buffer.from(SENTENCE.repeat(PASTE_BYTES / SENTENCE.length + 1).slice(0, PASTE_BYTES)));
  const sum = createHash("md5").update(area.bytes).digest("hex");
  using client = new OuterTerminal({ argv: target.attachCommand(session), env: target.env });
  client.readUntil("READY");
  client.readUntilQuiet(200);
  const startedAt = performance.now();
  const at = client.pasteUntil(area, "DONE", 60_000);
  // One lost byte leaves the program waiting for it, so what arrives has the right length; the sum tells whether it is right.
  const lostBytes = client.tail.includes(sum) ? 0 : 1;
  target.destroy(session);
  return { samples: [at - startedAt], lostBytes };
}

export const paste: Measure = {
  name: "paste",
  title: "1 MB pasted into a program that reads it",
  unit: "ms",
  targets: ["plain", "tmux", "pohunek"],
  bounds: [{ of: "pohunek", to: "tmux", statistic: "p50", atMost: 0.1 }],
  rounds: ({ runs, isQuick }) => (isQuick ? 1 : runs),
  run,
};
