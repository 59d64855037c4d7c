import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Area } from "../descriptor.ts";
import { OuterTerminal } from "../outer-terminal.ts";
import type { Target } from "../targets/target.ts";
import { logLines } from "./log-lines.ts";
import type { BenchOptions, Measure, Round } from "./measure.ts";
import { nextSession } from "./measure.ts";

const FULL_BYTES = 100_000_000;
const QUICK_BYTES = 5_000_000;
const MARK = "END-OF-FILE";

interface CatFile {
  readonly path: string;
  /** What a terminal gets: each line feed with a carriage return before it. */
  readonly onTerminal: Buffer;
}

function catFile({ folder, isQuick }: BenchOptions): CatFile {
  const path = join(folder, "cat.txt");
  if (!existsSync(path)) writeFileSync(path, logLines(isQuick ? QUICK_BYTES : FULL_BYTES));
  return { path, onTerminal: Buffer.from(readFileSync(path, "latin1").replaceAll("\n", "\r\n"), "latin1") };
}

/** How many of the wanted bytes are not where they belong. */
function countLost(got: Uint8Array, wanted: Buffer): number {
  if (Buffer.from(got.buffer, got.byteOffset, got.length).equals(wanted)) return 0;
  const length = Math.min(got.length, wanted.length);
  let same = 0;
  while (same < length && got[same] === wanted[same]) same++;
  return Math.max(1, wanted.length - same);
}

function run(target: Target, options: BenchOptions): Round {
  const file = catFile(options);
  const session = nextSession();
  // The marks are written in two halves so that a command line that is shown somewhere does not count.
  target.create(session, [
    "sh",
    "-c",
    `stty -echo; printf 'REA''DY'; read x; cat ${file.path}; printf 'END-''OF-FILE'; exec sleep 1000`,
  ]);
  // tmux sends its own drawing, which can be longer than the file.
  const area = new Area(file.onTerminal.length * 2);
  using client = new OuterTerminal({ argv: target.attachCommand(session), env: target.env });
  client.readUntil("READY");
  client.readUntilQuiet(100);
  const startedAt = performance.now();
  client.write("\r");
  const { bytes, at } = client.readInto(area, MARK, 180_000);
  const megabytesPerSecond = file.onTerminal.length / 1e6 / ((at - startedAt) / 1e3);
  const isExact = target.name !== "tmux";
  const lostBytes = isExact ? countLost(area.bytes.subarray(0, bytes), file.onTerminal) : undefined;
  target.destroy(session);
  return { samples: [megabytesPerSecond], lostBytes };
}

export const throughput: Measure = {
  name: "cat",
  title: "cat of 100 MB to an attached client",
  unit: "MB/s",
  targets: ["plain", "tmux", "pohunek"],
  bounds: [
    { of: "pohunek", to: "plain", statistic: "p50", atLeast: 0.75, milder: 0.55 },
    { of: "pohunek", to: "tmux", statistic: "p50", atLeast: 1.6, milder: 1.3 },
  ],
  rounds: ({ runs }) => runs,
  run,
};
