import type { RecordedEvent } from "../agents/detection/replay.ts";

/** A recorded session: asciicast, version 2. */
export interface Recording {
  readonly cols: number;
  readonly rows: number;
  /** Milliseconds since 1970, when the recording says it. */
  readonly startedAtMs: number | undefined;
  readonly events: readonly RecordedEvent[];
}

class RecordingError extends Error {
  override readonly name = "RecordingError";
}

const KINDS: Readonly<Record<string, RecordedEvent["kind"]>> = { o: "output", i: "input", r: "resize" };
const GZIP = 0x8b1f;
const ZSTD = 0xb528;
const MOST_BYTES = 268_435_456;

/** Reads a recording, also one that is compressed (gzip, zstd). Fails with RecordingError. */
export function parseRecording(bytes: Uint8Array<ArrayBuffer>): Recording {
  const [first = "", ...lines] = textOf(bytes).trim().split("\n");
  const header = parseLine(first, 1) as { width?: unknown; height?: unknown; timestamp?: unknown } | null;
  const cols = header?.width;
  const rows = header?.height;
  if (typeof cols !== "number" || typeof rows !== "number" || !isSize(cols) || !isSize(rows)) {
    throw new RecordingError("the first line is not the header of an asciicast of version 2");
  }
  const startedAtMs = typeof header?.timestamp === "number" ? header.timestamp * 1_000 : undefined;
  return { cols, rows, startedAtMs, events: lines.flatMap((line, index) => parseEvent(line, index + 2)) };
}

function textOf(bytes: Uint8Array<ArrayBuffer>): string {
  const magic = (bytes[0] ?? 0) | ((bytes[1] ?? 0) << 8);
  const plain = magic === GZIP ? Bun.gunzipSync(bytes) : magic === ZSTD ? Bun.zstdDecompressSync(bytes) : bytes;
  if (plain.length > MOST_BYTES) {
    throw new RecordingError("the recording is too large");
  }
  return new TextDecoder().decode(plain);
}

function parseEvent(line: string, number: number): RecordedEvent[] {
  const event = parseLine(line, number);
  const [at, code, data] = Array.isArray(event) ? (event as unknown[]) : [];
  if (typeof at !== "number" || typeof code !== "string" || typeof data !== "string") {
    throw new RecordingError(`line ${number} is no event`);
  }
  const kind = KINDS[code];
  // Markers and what later versions add.
  return kind === undefined ? [] : [{ atMs: at * 1_000, kind, data }];
}

function parseLine(line: string, number: number): unknown {
  try {
    return JSON.parse(line);
  } catch (cause) {
    throw new RecordingError(`line ${number} is not JSON`, { cause });
  }
}

function isSize(cells: number): boolean {
  return Number.isInteger(cells) && cells > 0 && cells <= 2_000;
}
