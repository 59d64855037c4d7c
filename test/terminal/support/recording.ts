import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** What a program wrote to its terminal, from an asciicast recording (version 2 or 3). */
export interface Recording {
  readonly name: string;
  readonly cols: number;
  readonly rows: number;
  readonly output: Uint8Array;
}

interface CastHeader {
  readonly width?: number;
  readonly height?: number;
  readonly term?: { readonly cols: number; readonly rows: number };
}

const FOLDER = join(import.meta.dir, "..", "recordings");

export function readRecordings(): Recording[] {
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith(".cast"))
    .sort((first, second) => first.localeCompare(second))
    .map(readRecording);
}

function readRecording(name: string): Recording {
  const [first = "{}", ...lines] = readFileSync(join(FOLDER, name), "utf8").trim().split("\n");
  const header = JSON.parse(first) as CastHeader;
  const events = lines.map((line) => JSON.parse(line) as [number, string, string]);
  const output = Buffer.concat(
    events.filter(([, kind]) => kind === "o").map(([, , data]) => Buffer.from(data, "utf8")),
  );
  const { cols, rows } = header.term ?? { cols: header.width ?? 80, rows: header.height ?? 24 };
  return { name, cols, rows, output };
}
