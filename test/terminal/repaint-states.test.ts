import { describe, expect, test } from "bun:test";
import { repaint } from "../../packages/host/src/worker/repaint/repaint.ts";
import { PROBES, SYNTHETIC_STATES, type SyntheticState } from "./support/synthetic-states.ts";
import { bytes, compareGhostty, compareXterm, Terminals } from "./support/terminals.ts";

const SIZE = { cols: 80, rows: 24 };
const HISTORY = 1000;
/** Reading a cell of xterm.js takes long. */
const XTERM_HISTORY = 100;
/** What another session may have left in a viewer's terminal. */
const LITTER =
  '\x1b[31mjunk\x1b[5;9r\x1b[?6h\x1b[4h\x1b(0\x0e\x1b[?7l\x1b[>3u\x1b[?2004;1003;1006h\x1b]8;;x\x07link\x1b]8;;\x07\x1b[1"q\x1b[3g\x1b[?69h\x1b[3;20s\x1b[5';

const terminals = new Terminals();
const outputOf = ({ output }: SyntheticState): Uint8Array => (typeof output === "string" ? bytes(output) : output);

/** REP with nothing to repeat yet: painting prints, so afterwards there is something (see repaint-limits.test.ts). */
const isKnown = (difference: string): boolean => difference.startsWith("header.previousCodepoint: expected undefined");

describe.each(SYNTHETIC_STATES.map((state) => [state.name, state] as const))("%s", (_, state) => {
  test("is restored in a fresh terminal, whatever follows", () => {
    for (const [name, probe] of Object.entries(PROBES)) {
      using original = terminals.ghostty(SIZE);
      using viewer = terminals.ghostty(SIZE);
      original.write(outputOf(state));
      viewer.write(repaint(original, { historyLines: HISTORY, viewer: "fresh" }));
      if (name === "repeated character" && original.state(0).header.previousCodepoint === undefined) continue;
      for (const engine of [original, viewer]) engine.write(bytes(probe));
      expect([name, ...compareGhostty(original, viewer, HISTORY).filter((line) => !isKnown(line))]).toEqual([name]);
    }
  });

  test("is restored in a terminal that another session has littered", () => {
    using original = terminals.ghostty(SIZE);
    using viewer = terminals.ghostty(SIZE);
    original.write(outputOf(state));
    viewer.write(bytes(LITTER));
    viewer.write(repaint(original, { historyLines: HISTORY, viewer: "used" }));
    expect(compareGhostty(original, viewer, HISTORY).filter((line) => !isKnown(line))).toEqual([]);
  });
});

const KNOWN_TO_XTERM = SYNTHETIC_STATES.filter((state) => state.notInXterm === undefined);

describe.each(KNOWN_TO_XTERM.map((state) => [state.name, state] as const))("%s", (_, state) => {
  test("is restored in xterm.js, whatever follows", () => {
    for (const [name, probe] of Object.entries(PROBES)) {
      // Both mean the last character only directly behind it there, and a repaint may end with sequences.
      if (name === "repeated character" || name === "combining mark") continue;
      using source = terminals.ghostty(SIZE);
      using original = terminals.xterm(SIZE);
      using viewer = terminals.xterm(SIZE);
      for (const engine of [source, original]) engine.write(outputOf(state));
      viewer.write(repaint(source, { historyLines: HISTORY, viewer: "fresh" }));
      for (const engine of [original, viewer]) engine.write(bytes(probe));
      expect([name, ...compareXterm(original, viewer, XTERM_HISTORY)]).toEqual([name]);
    }
  });
});
