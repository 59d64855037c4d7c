/**
 * Measures the first repaint of a fresh process, which is what a user waits for: `bun bench/cold-repaint.ts [RUNS]`. The probe is
 * compiled as the product is; the least of the runs counts, since other work on the machine only adds.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openGhosttyEngine } from "../packages/host/src/worker/engine/ghostty-engine.ts";
import { loadGhosttyRuntime } from "../packages/host/src/worker/engine/ghostty-runtime.ts";
import { repaint } from "../packages/host/src/worker/repaint/repaint.ts";

const SIZE = { cols: 150, rows: 50, historyLines: 1000 };
const PROBE = "probe";

type Screen = (row: number) => string;

/** Rows of 150 columns: of a shell, of a status display, and of a picture in which nearly every word has a look of its own. */
const SCREENS: Readonly<Record<string, Screen>> = {
  plain: (row) => `${row} ${"some text that a log has ".repeat(5)}`,
  few: (row) => `\x1b[32mword${row}\x1b[0m ${"some text that is plain ".repeat(4)}\x1b[1;34mfolder${row}\x1b[0m tail`,
  colours: (row) =>
    Array.from({ length: 16 }, (_, word) => `\x1b[${31 + (word % 6)}mword${(row * word) % 97}\x1b[0m `).join(""),
  many: (row) =>
    Array.from(
      { length: 16 },
      (_, word) => `\x1b[38;5;${(row * 7 + word * 13) % 256};${(word % 3) * 3 + 1}mword\x1b[0m `,
    ).join(""),
};

/** Milliseconds by stage. */
type Timing = Record<string, number>;

function probe(screen: Screen): Timing {
  const output = Buffer.from(Array.from({ length: SIZE.rows }, (_, row) => screen(row)).join("\r\n"));
  const timing: Timing = {};
  let last = performance.now();
  const note = (stage: string): void => {
    const now = performance.now();
    timing[stage] = now - last;
    last = now;
  };
  const runtime = loadGhosttyRuntime();
  note("load");
  using engine = openGhosttyEngine(SIZE, runtime);
  note("open");
  engine.write(output);
  note("feed");
  const state = engine.state(SIZE.historyLines);
  note("state");
  const { modifyOtherKeys, hasTitle, hasColors } = engine;
  repaint(
    { state: () => state, modifyOtherKeys, hasTitle, hasColors },
    { historyLines: SIZE.historyLines, viewer: "fresh" },
  );
  note("paint");
  repaint(engine, { historyLines: SIZE.historyLines, viewer: "fresh" });
  note("second repaint");
  return timing;
}

async function compile(outfile: string): Promise<void> {
  await Bun.build({
    entrypoints: [import.meta.path],
    target: "bun",
    format: "esm",
    splitting: true,
    bytecode: true,
    minify: true,
    compile: { outfile },
  });
}

async function measure(runs: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "cold-repaint-"));
  try {
    const program = join(folder, PROBE);
    await compile(program);
    const least: Record<string, Timing> = {};
    for (let run = 0; run < runs; run += 1) {
      for (const name of Object.keys(SCREENS)) {
        const timing = JSON.parse(Bun.spawnSync([program, PROBE, name]).stdout.toString()) as Timing;
        const best = (least[name] ??= {});
        const repaintMs = (timing["state"] ?? 0) + (timing["paint"] ?? 0);
        for (const [stage, ms] of Object.entries({ ...timing, "first repaint": repaintMs })) {
          const rounded = Math.round(ms * 100) / 100;
          best[stage] = Math.min(best[stage] ?? rounded, rounded);
        }
      }
    }
    console.table(least);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const [, , first = "15", name = ""] = process.argv;
const screen = SCREENS[name];
if (first === PROBE && screen !== undefined) console.log(JSON.stringify(probe(screen)));
else await measure(Number(first));
