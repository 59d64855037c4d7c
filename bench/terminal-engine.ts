import { openGhosttyEngine } from "../packages/host/src/worker/engine/ghostty-engine.ts";
import { repaint } from "../packages/host/src/worker/repaint/repaint.ts";
import { seededRandom } from "../test/terminal/support/random.ts";

/** Measures the terminal engine alone: feeding, repaint, reading, memory. Run: bun bench/terminal-engine.ts [MB per stream] */

const SIZE = { cols: 200, rows: 50 };
const HISTORY_LINES = 1000;
/** What one read of a PTY gives. */
const READ_BYTES = 4096;
const REPEATS = 60;
const WORDS =
  "session worker attach output stream cursor window resize buffer token index commit branch merge error retry".split(
    " ",
  );
const IDEOGRAPHS = "端末画面文字列行数色背景改行復元漢字仮名한국어터미널";

type Piece = (random: () => number) => string;

const below = (random: () => number, limit: number): number => Math.floor(random() * limit);
const words = (random: () => number, count: number): string =>
  Array.from({ length: count }, () => WORDS[below(random, WORDS.length)]).join(" ");

const STREAMS: Readonly<Record<string, Piece>> = {
  log: (random) =>
    `2030-01-02T03:04:${below(random, 60)}.${below(random, 1000)}Z INFO ${words(random, 5 + below(random, 12))} ${below(random, 9999)}ms\r\n`,
  sgr: (random) =>
    `${Array.from({ length: 10 }, () => `\x1b[38;5;${below(random, 256)};${30 + below(random, 8)}m${words(random, 1)}\x1b[0m `).join("")}\r\n`,
  rgb: (random) =>
    `${Array.from({ length: 10 }, () => `\x1b[38;2;${below(random, 256)};${below(random, 256)};${below(random, 256)}m${words(random, 1)}\x1b[0m `).join("")}\r\n`,
  tui: (random) => {
    const rows = Array.from({ length: 48 }, (_, row) => {
      const load = below(random, 30);
      return `\x1b[${row + 2};1H\x1b[3${below(random, 8)}m${below(random, 99999)}\x1b[m ${"█".repeat(load)}\x1b[50G${words(random, 8)}\x1b[K`;
    });
    return `\x1b[?2026h\x1b[H\x1b[1;44m${"monitor".padEnd(200)}\x1b[m${rows.join("")}\x1b[?2026l`;
  },
  cjk: (random) =>
    `${Array.from({ length: 8 + below(random, 60) }, () => IDEOGRAPHS[below(random, IDEOGRAPHS.length)]).join("")} ${words(random, 3)}\r\n`,
};

interface Measurement {
  readonly stream: string;
  readonly feedMBps: number;
  readonly historyRows: number;
  readonly firstRepaintMs: number;
  readonly repaintP50Ms: number;
  readonly repaintP95Ms: number;
  readonly repaintBytes: number;
  readonly gridRepaintP50Ms: number;
  readonly linesP50Ms: number;
  readonly revisionP50Ms: number;
}

function makeStream(piece: Piece, bytes: number): Uint8Array {
  const random = seededRandom(7);
  const parts: Buffer[] = [];
  for (let length = 0; length < bytes; ) {
    const part = Buffer.from(piece(random), "utf8");
    parts.push(part);
    length += part.length;
  }
  return Buffer.concat(parts);
}

function timeOf(work: () => void): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

function percentiles(work: () => void): { p50: number; p95: number } {
  const times = Array.from({ length: REPEATS }, () => timeOf(work)).sort((first, second) => first - second);
  return { p50: times[REPEATS >> 1] ?? 0, p95: times[Math.floor(REPEATS * 0.95)] ?? 0 };
}

function measure(stream: string, output: Uint8Array): Measurement {
  using engine = openGhosttyEngine({ ...SIZE, historyLines: HISTORY_LINES });
  const feedMs = timeOf(() => {
    for (let at = 0; at < output.length; at += READ_BYTES) engine.write(output.subarray(at, at + READ_BYTES));
  });
  let repaintBytes = 0;
  const whole = (): void => {
    repaintBytes = repaint(engine, { historyLines: HISTORY_LINES, viewer: "fresh" }).length;
  };
  const firstRepaintMs = timeOf(whole);
  const { p50: repaintP50Ms, p95: repaintP95Ms } = percentiles(whole);
  const character = Buffer.from("x\b");
  return {
    stream,
    feedMBps: output.length / 1000 / feedMs,
    historyRows: engine.historyRows,
    firstRepaintMs,
    repaintP50Ms,
    repaintP95Ms,
    repaintBytes,
    gridRepaintP50Ms: percentiles(() => repaint(engine, { historyLines: 0 })).p50,
    linesP50Ms: percentiles(() => engine.visibleLines()).p50,
    revisionP50Ms: percentiles(() => {
      engine.write(character);
      return engine.revision;
    }).p50,
  };
}

function main(): void {
  const bytes = Number(process.argv[2] ?? 10) * 1_000_000;
  const before = process.memoryUsage().rss;
  const openMs = timeOf(() => openGhosttyEngine({ ...SIZE, historyLines: HISTORY_LINES })[Symbol.dispose]());
  const openedMB = (process.memoryUsage().rss - before) / 1e6;
  const streams = Object.entries(STREAMS).map(([name, piece]) => measure(name, makeStream(piece, bytes)));
  const rounded = streams.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [name, typeof value === "number" ? Number(value.toFixed(2)) : value]),
    ),
  );
  console.table(rounded);
  console.log(JSON.stringify({ openMs, openedMB, streams }));
}

main();
