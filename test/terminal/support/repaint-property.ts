import fc from "fast-check";
import type { GhosttyEngine } from "../../../packages/host/src/worker/engine/ghostty-engine.ts";
import { repaint } from "../../../packages/host/src/worker/repaint/repaint.ts";
import { unexplained } from "./known-limits.ts";
import { cutPieces, outputArbitrary, type Piece, playPieces } from "./output-arbitrary.ts";
import { compareGhostty, Terminals } from "./terminals.ts";

const HISTORY = 100;
const SHRINK_MS = 90_000;
/** On the alternate screen a row that scrolls out comes in again below with its mark; nothing depends on it there. */
const ROTATED = /^alternate\.row\d+\.flags:/;
const terminals = new Terminals();

export interface PropertySetting {
  readonly name: string;
  readonly cols: number;
  readonly rows: number;
  /** Pieces of output, at most. */
  readonly length: number;
  /** Cases that are tried with every change. */
  readonly runs: number;
}

export const SETTINGS: readonly PropertySetting[] = [
  { name: "a small grid", cols: 20, rows: 6, length: 60, runs: 600 },
  { name: "a tiny grid", cols: 9, rows: 3, length: 60, runs: 600 },
  { name: "long streams", cols: 40, rows: 10, length: 500, runs: 120 },
];

/** Lines that say in what a viewer differs that was repainted at a cut, there and after the rest; nothing but known limits allowed. */
function faultsAt([before, behind]: readonly [readonly Piece[], readonly Piece[]], setting: PropertySetting): string[] {
  using original = terminals.ghostty(setting);
  playPieces(before, original);
  using viewer = terminals.ghostty(original.size);
  viewer.write(repaint(original, { historyLines: HISTORY, viewer: "fresh" }));
  const differences = compareGhostty(original, viewer, HISTORY);
  const faults = unexplained(differences, original);
  // Rows that a resize has cut off may come in again when the engine scrolls.
  const wasResized = before.some((piece) => !(piece instanceof Uint8Array));
  if (differences.length > 0 || wasResized) return faults;
  for (const piece of behind) {
    if (!(piece instanceof Uint8Array) && dependsOnThePast(original)) continue;
    for (const terminal of [original, viewer]) playPieces([piece], terminal);
  }
  return compareGhostty(original, viewer, 0)
    .map(withoutNumbers)
    .filter(isDifferent)
    .filter((line) => !ROTATED.test(line));
}

/**
 * A resize of a screen that is out of view asks for more than is to be seen of it: where its cursor is, and how large it was when
 * it was made. On the main screen it asks for all of the history.
 */
function dependsOnThePast(terminal: GhosttyEngine): boolean {
  return terminal.historyRows >= HISTORY || terminal.state(0).alternate !== undefined;
}

/** A link that is open while the terminal is resized or shows another screen becomes a new one, unless it has a name. */
function withoutNumbers(line: string): string {
  return line.replaceAll(/link #\d+/g, "link #");
}

function isDifferent(line: string): boolean {
  const [, expected, actual] = /: expected (.*) got (.*)$/s.exec(line) ?? [];
  return expected !== actual;
}

/** Throws with a seed, a path and the shortest output found when a repaint is not exact; both bring the failure back. */
export function checkRepaints(setting: PropertySetting, parameters: fc.Parameters<[Piece[], number, number]>): void {
  const cut = fc.nat();
  fc.assert(
    fc.property(outputArbitrary(setting, setting.length), cut, cut, (pieces, index, within) => {
      const faults = faultsAt(cutPieces(pieces, index, within), setting);
      if (faults.length > 0) throw new Error(`${faults.slice(0, 5).join("\n")}\n${describe(pieces, index, within)}`);
    }),
    // Shrinking goes on for hours otherwise.
    { plugins: [fc.interruptAfterTimeLimit(SHRINK_MS)], includeErrorInReport: true, ...parameters },
  );
}

/** Bytes of the module's memory, which all terminals share. */
export function engineBytes(): number {
  return terminals.engineBytes;
}

function describe(pieces: readonly Piece[], index: number, within: number): string {
  const text = (some: readonly Piece[]): string =>
    some
      .map((piece) =>
        piece instanceof Uint8Array
          ? JSON.stringify(Buffer.from(piece).toString("latin1"))
          : `${piece.cols}x${piece.rows}`,
      )
      .join(" ");
  const [before, behind] = cutPieces(pieces, index, within);
  return `${text(before)}\n  cut\n${text(behind)}`;
}
