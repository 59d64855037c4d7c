import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { TerminalSize } from "../../../packages/host/src/worker/engine/terminal-engine.ts";

/** What a program wrote to its terminal, and the sizes that the terminal got meanwhile. */
export interface Recording extends TerminalSize {
  readonly name: string;
  readonly output: Uint8Array;
  readonly resizes: readonly Resize[];
}

export interface Resize extends TerminalSize {
  /** How much output there was before. */
  readonly at: number;
}

/** What a recording is played to. */
export interface Player {
  write(bytes: Uint8Array): void;
  resize(cols: number, rows: number): void;
}

interface CastHeader {
  readonly width?: number;
  readonly height?: number;
  readonly term?: { readonly cols: number; readonly rows: number };
}

const FOLDER = join(import.meta.dir, "..", "recordings");

/** The asciicast recordings (version 2 or 3, compressed by gzip) of programs and of agents. */
export function readRecordings(): Recording[] {
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith(".cast.gz"))
    .sort((first, second) => (first < second ? -1 : 1))
    .map(readRecording);
}

/** Plays what came from byte `from` to before byte `to`, the resizes between them included. */
export function play({ output, resizes }: Recording, player: Player, [from, to]: readonly [number, number]): void {
  let at = from;
  for (const resize of resizes) {
    if (resize.at < from || resize.at >= to) continue;
    player.write(output.subarray(at, resize.at));
    player.resize(resize.cols, resize.rows);
    at = resize.at;
  }
  player.write(output.subarray(at, to));
}

/** The size of the terminal when the first `count` bytes had come. */
export function sizeAt(recording: Recording, count: number): TerminalSize {
  return recording.resizes.findLast((resize) => resize.at < count) ?? recording;
}

function readRecording(file: string): Recording {
  const text = Buffer.from(Bun.gunzipSync(readFileSync(join(FOLDER, file)))).toString("utf8");
  const [first = "{}", ...lines] = text.trim().split("\n");
  const header = JSON.parse(first) as CastHeader;
  const pieces: Buffer[] = [];
  const resizes: Resize[] = [];
  let length = 0;
  for (const line of lines) {
    const [, kind, data] = JSON.parse(line) as [number, string, string];
    if (kind === "o") length += pieces[pieces.push(Buffer.from(data, "utf8")) - 1]?.length ?? 0;
    const [cols = 0, rows = 0] = data.split("x").map(Number);
    if (kind === "r") resizes.push({ at: length, cols, rows });
  }
  const { cols, rows } = header.term ?? { cols: header.width ?? 80, rows: header.height ?? 24 };
  return { name: file.replace(".cast.gz", ""), cols, rows, output: Buffer.concat(pieces), resizes };
}
