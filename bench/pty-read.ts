/**
 * Three ways to read a PTY, in one process each time: a blocking read (nothing can be faster, and nothing else can be done
 * meanwhile), the worker's own reader into its ring, and Bun.Terminal. Run: bun bench/pty-read.ts [MB] [rounds]
 */

import { closeSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { platform } from "../packages/host/src/platform/index.ts";
import { DescriptorWatch } from "../packages/host/src/worker/descriptor-watch.ts";
import { OutputRing } from "../packages/host/src/worker/output-ring.ts";
import { PtyOutputReader } from "../packages/host/src/worker/pty-reader.ts";
import { Area, Descriptor } from "./descriptor.ts";
import { logLines } from "./measures/log-lines.ts";

const SIZE = { cols: 200, rows: 50 };
const RING_BYTES = 10_000_000;
const BLOCK_BYTES = 65_536;
/** Nobody reads after this long: something is wrong. */
const LIMIT_MS = 120_000;

interface Reading {
  readonly bytes: number;
}

type Way = (argv: readonly string[], wanted: number) => Promise<Reading>;

function start(argv: readonly string[], slavePath: string): void {
  const env = { PATH: process.env.PATH ?? "" };
  platform.processes.spawn({ file: Bun.which(argv[0] ?? "") ?? "", argv, env, cwd: "/", terminal: slavePath });
}

const blocking: Way = async (argv, wanted) => {
  const pair = platform.pty.open(SIZE);
  start(argv, pair.slavePath);
  const master = new Descriptor(pair.master);
  const area = new Area(BLOCK_BYTES);
  let bytes = 0;
  while (bytes < wanted && master.wait(LIMIT_MS).canRead) bytes += Math.max(0, master.read(area, 0, BLOCK_BYTES));
  closeSync(pair.slave);
  closeSync(pair.master);
  return { bytes };
};

const own: Way = async (argv, wanted) => {
  const pair = platform.pty.open(SIZE);
  const watch = new DescriptorWatch(platform.sockets);
  // For good: a signal that comes late must not end the process.
  process.on("SIGIO", () => watch.serve());
  const done = Promise.withResolvers<void>();
  const ring = new OutputRing(RING_BYTES);
  const reader = new PtyOutputReader({
    pty: platform.pty,
    pair,
    ring,
    watch,
    onOutput: () => {
      if (ring.endOffset >= wanted) done.resolve();
    },
    onEnd: () => done.resolve(),
  });
  reader.start();
  start(argv, pair.slavePath);
  const timer = setTimeout(done.resolve, LIMIT_MS);
  await done.promise;
  clearTimeout(timer);
  reader.pause();
  watch.remove(reader);
  platform.pty.close(pair);
  return { bytes: ring.endOffset };
};

const bunTerminal: Way = async (argv, wanted) => {
  const done = Promise.withResolvers<void>();
  let bytes = 0;
  const child = Bun.spawn([...argv], {
    terminal: {
      ...SIZE,
      data: (_terminal, piece) => {
        bytes += piece.length;
        if (bytes >= wanted) done.resolve();
      },
    },
  });
  const timer = setTimeout(done.resolve, LIMIT_MS);
  await done.promise;
  clearTimeout(timer);
  child.kill();
  child.terminal?.close();
  await child.exited;
  return { bytes };
};

const WAYS: Readonly<Record<string, Way>> = {
  "blocking read": blocking,
  "the worker's": own,
  "Bun.Terminal": bunTerminal,
};

const megabytes = Number(process.argv[2] ?? 100);
const rounds = Number(process.argv[3] ?? 3);
const folder = mkdtempSync(join(tmpdir(), "pty-"));
const file = join(folder, "cat.txt");
const text = logLines(megabytes * 1e6);
writeFileSync(file, text);
const wanted = text.length + text.split("\n").length - 1;
const median = (values: number[]): number => values.toSorted((left, right) => left - right)[values.length >> 1] ?? 0;

const results = new Map(
  Object.keys(WAYS).map((name) => [name, { rates: [] as number[], cpuMs: [] as number[], lost: 0 }]),
);
for (let round = 0; round < rounds; round++) {
  for (const [name, way] of Object.entries(WAYS)) {
    const [cpu, startedAt] = [process.cpuUsage(), performance.now()];
    const { bytes } = await way(["cat", file], wanted);
    const seconds = (performance.now() - startedAt) / 1e3;
    const { user, system } = process.cpuUsage(cpu);
    const result = results.get(name);
    result?.rates.push(wanted / 1e6 / seconds);
    result?.cpuMs.push((user + system) / 1e3);
    if (result !== undefined) result.lost += Math.max(0, wanted - bytes);
  }
}
rmSync(folder, { recursive: true });
console.log(`cat of ${megabytes} MB, ${rounds} rounds, taking turns; medians`);
for (const [name, { rates, cpuMs, lost }] of results)
  console.log(
    `${name.padEnd(14)} ${median(rates).toFixed(0)} MB/s, ${median(cpuMs).toFixed(0)} ms of processor time, ${lost} bytes lost`,
  );
process.exit(0);
