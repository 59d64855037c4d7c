import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { logLines } from "./measures/log-lines.ts";
import { SCREEN } from "./outer-terminal.ts";

/** The marks are written in two halves so that a command line that is shown somewhere does not count. */
export const FLOOD_END = "END-OF-FLOOD";

export interface FloodFile {
  /** What a terminal gets: each line feed with a carriage return before it. */
  readonly onTerminal: Buffer;
  /** A program that says READY, waits for a key, prints the file and then the end mark. */
  readonly argv: readonly string[];
}

/** Log text in which each line begins with its number, so that no two are the same. */
export function floodFile(folder: string, bytes: number): FloodFile {
  const path = join(folder, `flood-${bytes}.txt`);
  if (!existsSync(path)) {
    const lines = logLines(bytes).trimEnd().split("\n");
    writeFileSync(path, `${lines.map((line, index) => `${String(index).padStart(8, "0")} ${line}`).join("\n")}\n`);
  }
  const onTerminal = Buffer.from(readFileSync(path, "latin1").replaceAll("\n", "\r\n"), "latin1");
  const script = `stty -echo; printf 'REA''DY'; read x; cat ${path}; printf 'END-''OF-FLOOD'; exec sleep 1000`;
  return { onTerminal, argv: ["sh", "-c", script] };
}

/** How a repaint begins for a terminal that may be in any state: with the end of any sequence, and back on the main screen. */
const REPAINT = Buffer.from("\x18\x1b[?1047;47;1049l");
/** A repaint shows lines of the program as well, at most a screen of them; what goes on for longer comes from the program. */
const PAINTED_BYTES = (SCREEN.cols + 2) * SCREEN.rows;
/** So many equal bytes do not come by chance where each line has its number. */
const SAME_BYTES = 512;

export interface Delivery {
  /** Bytes that were left out without a repaint in their place. */
  readonly lostBytes: number;
  /** Bytes that came from the program as it wrote them. */
  readonly deliveredBytes: number;
  readonly resyncs: number;
  /** Bytes that a repaint came for. */
  readonly skippedBytes: number;
}

/** Compares what a client got with what the program wrote: every byte of it, or a repaint where some were left out. */
export function checkDelivery(got: Buffer, wanted: Buffer): Delivery {
  let [at, from, resyncs, deliveredBytes, skippedBytes] = [0, 0, 0, 0, 0];
  for (;;) {
    const same = countSame(got.subarray(at), wanted.subarray(from));
    deliveredBytes += same;
    at += same;
    from += same;
    const isEnd = from === wanted.length;
    if (isEnd || !isRepaint(got, at)) return { lostBytes: wanted.length - from, deliveredBytes, resyncs, skippedBytes };
    resyncs++;
    // A last repaint shows the end itself.
    const next = findResumption(got, at, wanted) ?? { at: got.length, from: wanted.length };
    skippedBytes += next.from - from;
    [at, from] = [next.at, next.from];
  }
}

function countSame(left: Buffer, right: Buffer): number {
  const length = Math.min(left.length, right.length);
  if (left.subarray(0, length).equals(right.subarray(0, length))) return length;
  let [low, high] = [0, length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (left.subarray(low, middle).equals(right.subarray(low, middle))) low = middle;
    else high = middle;
  }
  return low;
}

/** Where the program's own bytes go on after a repaint: with more lines as in the file than a screen shows, or up to an end. */
function findResumption(got: Buffer, after: number, wanted: Buffer): { at: number; from: number } | undefined {
  for (let at = got.indexOf("\r\n", after); at >= 0; at = got.indexOf("\r\n", at + 2)) {
    const from = wanted.indexOf(got.subarray(at, at + SAME_BYTES));
    if (from < 0) continue;
    const same = countSame(got.subarray(at), wanted.subarray(from));
    const isEnd = from + same === wanted.length || at + same === got.length;
    if (isEnd || same > PAINTED_BYTES || isRepaint(got, at + same)) return { at, from };
    at += same - 1;
  }
  return undefined;
}

function isRepaint(got: Buffer, at: number): boolean {
  return got.subarray(at, at + REPAINT.length).equals(REPAINT);
}
