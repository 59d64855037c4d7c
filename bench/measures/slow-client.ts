import { join } from "node:path";
import { Area, waitForAny } from "../descriptor.ts";
import type { FloodFile } from "../flood-file.ts";
import { FLOOD_END, floodFile } from "../flood-file.ts";
import { OuterTerminal } from "../outer-terminal.ts";
import { readOwnMib } from "../process-cost.ts";
import type { Target } from "../targets/target.ts";
import type { BenchOptions, Measure, Round } from "./measure.ts";
import { nextSession } from "./measure.ts";

const BYTES = 200_000_000;
const QUICK_BYTES = 5_000_000;
/** 20 KB/s. */
const SLOW = { everyMs: 100, bytes: 2_000 };
const LIMIT_MS = 180_000;
const PROBER = join(import.meta.dir, "../control-prober.ts");
/** The ring that a session keeps, and what each of the two clients may cost on top, in MiB. */
const MEMORY_MIB = 10_000_000 / 1_048_576 + 2 * 8;

const memoryOf = (target: Target): number => target.sessionProcesses().reduce((sum, pid) => sum + readOwnMib(pid), 0);

interface Flood {
  readonly seconds: number;
  readonly grownMib: number;
}

/** The fast client reads all it can, the slow one a little at times; the program is watched until the fast one saw its end. */
function watch(target: Target, fast: OuterTerminal, slow: OuterTerminal | undefined): Flood {
  const [area, drops] = [new Area(65_536), new Area(SLOW.bytes)];
  const memoryBefore = memoryOf(target);
  const startedAt = performance.now();
  let [nextMs, grownMib, tail] = [0, 0, ""];
  fast.write("\r");
  while (!tail.includes(FLOOD_END)) {
    const elapsedMs = performance.now() - startedAt;
    if (elapsedMs > LIMIT_MS) throw new Error("the fast client did not see the end");
    if (elapsedMs > nextMs) {
      nextMs += SLOW.everyMs;
      if (slow && waitForAny([slow], 0).length > 0) slow.readNow(drops, 0, SLOW.bytes);
      grownMib = Math.max(grownMib, memoryOf(target) - memoryBefore);
    }
    if (waitForAny([fast], SLOW.everyMs).length === 0) continue;
    const count = fast.readNow(area, 0);
    tail = tail.slice(-FLOOD_END.length) + Buffer.from(area.bytes.buffer, 0, count).toString("latin1");
  }
  return { seconds: (performance.now() - startedAt) / 1_000, grownMib };
}

async function startProber(socket: string, session: string): Promise<{ finish: () => Promise<number[]> }> {
  const child = Bun.spawn([process.execPath, PROBER, socket, session], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
  const reader = child.stdout.getReader();
  await reader.read();
  return {
    finish: async () => {
      void child.stdin.end();
      let text = "";
      for (let piece = await reader.read(); !piece.done; piece = await reader.read())
        text += Buffer.from(piece.value).toString();
      return JSON.parse(text) as number[];
    },
  };
}

interface Flooding extends Flood {
  readonly controlMs: readonly number[];
}

async function flood(target: Target, file: FloodFile, hasSlow: boolean): Promise<Flooding> {
  const session = nextSession();
  target.create(session, file.argv);
  using open = new DisposableStack();
  const attach = (): OuterTerminal => {
    const terminal = open.use(new OuterTerminal({ argv: target.attachCommand(session), env: target.env }));
    terminal.readUntil("READY");
    return terminal;
  };
  const slow = hasSlow ? attach() : undefined;
  const fast = attach();
  fast.readUntilQuiet(100);
  // In both floods, so that it costs both the same.
  const prober = target.controlSocket === undefined ? undefined : await startProber(target.controlSocket, session);
  const watched = watch(target, fast, slow);
  const controlMs = (await prober?.finish()) ?? [];
  open.dispose();
  target.destroy(session);
  return { ...watched, controlMs };
}

async function run(target: Target, { folder, isQuick }: BenchOptions): Promise<Round> {
  const file = floodFile(folder, isQuick ? QUICK_BYTES : BYTES);
  const alone = await flood(target, file, false);
  const beside = await flood(target, file, true);
  const facts = { "MB/s alone": [file.onTerminal.length / 1e6 / alone.seconds], "MiB grown": [beside.grownMib] };
  const control = { "ms for a control request": beside.controlMs };
  return {
    samples: [alone.seconds / beside.seconds],
    facts: beside.controlMs.length > 0 ? { ...facts, ...control } : facts,
  };
}

export const slowClient: Measure = {
  name: "slow-client",
  title: "a fast client beside one that reads 20 KB/s, compared with the fast one alone",
  unit: "of its speed",
  targets: ["tmux", "pohunek"],
  bounds: [
    { of: "pohunek", statistic: "p50", atLeast: 0.9 },
    { of: "pohunek", statistic: "p99", fact: "MiB grown", atMost: Math.round(MEMORY_MIB * 10) / 10 },
    { of: "pohunek", statistic: "p99", fact: "ms for a control request", atMost: 20 },
  ],
  rounds: ({ runs, isQuick }) => (isQuick ? 1 : Math.min(runs, 3)),
  run,
};
