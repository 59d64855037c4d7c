import { describe, expect, test } from "bun:test";
import {
  cellContent,
  cellIsErased,
  cellStyle,
  cellWidth,
  WIDTH,
} from "../../packages/host/src/worker/engine/terminal-state.ts";
import { repaint } from "../../packages/host/src/worker/repaint/repaint.ts";
import { blankStyle } from "../../packages/host/src/worker/repaint/style-sequence.ts";
import { CONTROL_FUNCTIONS } from "./support/control-functions.ts";
import { KNOWN_LIMITS, type LimitName, unexplained } from "./support/known-limits.ts";
import { bytes, compareGhostty, Terminals } from "./support/terminals.ts";

type Engine = ReturnType<Terminals["ghostty"]>;

interface Example {
  /** A stream that runs into the limit. */
  readonly output: string;
  /** How the comparison names what then differs. */
  readonly differs: readonly string[];
  /** What brings it to light later, and what is shown then: by the session, and by the viewer. Absent: nothing does. */
  readonly later?: { readonly output: string; readonly shows: readonly [session: string, viewer: string] };
  readonly wider?: { readonly cols: number; readonly shows: readonly [session: string, viewer: string] };
}

const SIZE = { cols: 20, rows: 6 };
const HISTORY = 100;
const LINE = "x".repeat(20);
const terminals = new Terminals();

const EXAMPLES: Readonly<Record<LimitName, Example>> = {
  "repeated character": {
    output: "\x1b[?1049hx\x1b#8",
    differs: ["header.previousCodepoint"],
    later: { output: "\x1b[2b", shows: [`xx${"E".repeat(18)}`, "E".repeat(20)] },
  },
  "continuation without its line": { output: `${LINE}${LINE}xx\x1b[1J`, differs: ["primary.row2.flags"] },
  "wrap into a line of its own": {
    output: `${"\r\n".repeat(12)}\x1b[H${LINE}x\r\x1b[Mnext\x1b[6;1H${"\r\n".repeat(4)}`,
    differs: ["primary.row-4.flags"],
    wider: { cols: 40, shows: [`${LINE}next`, `${LINE}\nnext`] },
  },
  "wrap pending over an erased cell": {
    output: `${LINE}\x1b[?1049h\x1b7\x1b[3;1Hz\x1b8`,
    differs: ["header.previousCodepoint", "alternate.row0.col19"],
  },
  "wrap pending in mid line": {
    output: `${LINE}\x1b[2Z\x1b7\x1b[H`,
    differs: ["primary.saved"],
    later: { output: "\x1b8y", shows: [`${LINE}\ny`, `${"x".repeat(8)}y${"x".repeat(11)}`] },
  },
  "unused last column": { output: "\x1b[1;2r\x1b[6;20H漢", differs: ["primary.row5.col19"] },
  "wide blank": { output: "\x1b(0漢\x1b(B", differs: ["primary.row0.col0", "primary.row0.col1"] },
  "attributes without a character": {
    output: "\x1b[4;44m\x1b[?69h\x1b[1;5s\x1b[1;5H漢",
    differs: ["primary.row0.col4"],
  },
  "stray mode 47 and a prompt": {
    output: "\x1b[?47h\x1b[?1049l\x1b[2;1H\x1b]133;P\x07\x1b[3;1H",
    differs: ["header.modes"],
    later: { output: "\x1b[?47$p", shows: ["\x1b[?47;1$y", "\x1b[?47;2$y"] },
  },
  "cursor outside of its region": {
    output: "\x1b[3;3H\x1b7\x1b[?1049h\x1b[?1049l\x1b[?6h\x1b[6;6H\x1b7\x1b[2;3r\x1b8\x1b[31m",
    differs: ["primary.saved"],
    later: { output: "\x1b8y", shows: ["y 0/default", "y 0/palette.1"] },
  },
};

/** Each cell in view as it looks, and the cursor: a blank is a blank, whatever it is made of. */
function pictureOf(engine: Engine): object {
  const { header, primary, alternate } = engine.screens();
  const { grid } = (header.alternateActive ? alternate : undefined) ?? primary;
  const rows = Array.from({ length: grid.visible }, (_, index) => {
    const row = grid.row(grid.count - grid.visible + index);
    const cells = row.cells();
    return Array.from({ length: header.cols }, (_unused, col) => {
      const [low, high] = [cells.low(col), cells.high(col)];
      const isBlank = cellIsErased(low) || cellContent(low) === 0;
      const style = cellIsErased(low) ? blankStyle(low) : row.style(cellStyle(low, high));
      const isCovered = cellWidth(high) === WIDTH.tail && cellContent(cells.low(col - 1)) !== 0x20;
      return isCovered ? "" : [isBlank ? " " : String.fromCodePoint(cellContent(low)) + row.graphemes(col), style];
    });
  });
  return { rows, cursor: engine.cursor };
}

/** Two terminals after the repaint of one for the other, and what they answer. */
class Pair implements Disposable {
  readonly replies: [string, string] = ["", ""];
  readonly session = terminals.ghostty(SIZE, { reply: (reply) => this.#note(0, reply) });
  readonly viewer = terminals.ghostty(SIZE, { reply: (reply) => this.#note(1, reply) });

  constructor({ output }: Example) {
    this.session.write(bytes(output));
    this.viewer.write(repaint(this.session, { historyLines: HISTORY, viewer: "fresh" }));
  }

  get differences(): string[] {
    return compareGhostty(this.session, this.viewer, HISTORY);
  }

  #note(index: 0 | 1, reply: Uint8Array): void {
    this.replies[index] += Buffer.from(reply).toString("latin1");
  }

  [Symbol.dispose](): void {
    this.session[Symbol.dispose]();
    this.viewer[Symbol.dispose]();
  }
}

test("every limit has an example", () => {
  expect(Object.keys(EXAMPLES).sort()).toEqual(Object.keys(KNOWN_LIMITS).sort());
});

describe.each(Object.entries(EXAMPLES))("%s", (_, example) => {
  test("is all that differs, and shows nowhere", () => {
    using pair = new Pair(example);
    expect(pair.differences.map((line) => line.slice(0, line.indexOf(":")))).toEqual([...example.differs]);
    expect(unexplained(pair.differences, pair.session)).toEqual([]);
    expect(pictureOf(pair.viewer)).toEqual(pictureOf(pair.session));
  });

  test("is brought by no control function behind the repaint", () => {
    using session = terminals.ghostty(SIZE);
    session.write(bytes(example.output));
    const painted = repaint(session, { historyLines: HISTORY, viewer: "fresh" });
    const helping = CONTROL_FUNCTIONS.filter((sequence) => {
      using viewer = terminals.ghostty(SIZE);
      viewer.write(painted);
      viewer.write(bytes(sequence));
      return compareGhostty(session, viewer, HISTORY).length === 0;
    });
    expect(helping).toEqual([]);
  });
});

describe("what comes later", () => {
  const noticed = Object.entries(EXAMPLES).filter(([, { later, wider }]) => later !== undefined || wider !== undefined);

  test.each(noticed)("shows %s", (_, example) => {
    using pair = new Pair(example);
    const { later, wider } = example;
    for (const engine of [pair.session, pair.viewer]) {
      if (later !== undefined) engine.write(bytes(later.output));
      if (wider !== undefined) engine.resize(wider.cols, SIZE.rows);
    }
    const [session, viewer] = [shownIn(pair, 0), shownIn(pair, 1)];
    const shows = (later ?? wider)?.shows ?? ["", ""];
    expect(session).toContain(shows[0]);
    expect(viewer).toContain(shows[1]);
    expect(session).not.toBe(viewer);
  });

  test("does not show the others: what a program prints, erases or scrolls next looks alike", () => {
    const probes = [
      "y",
      "\x1b[2;3Hy",
      "\x1b[K\x1b[2K",
      "\x1b[2J\x1b[Hy",
      "\r\n\n\n\n\n\n\ny",
      "\x1b[T\x1b[L\x1b[@",
      "\x1b[3X\x1b[P",
    ];
    for (const [name, example] of Object.entries(EXAMPLES)) {
      if (example.later !== undefined || example.wider !== undefined) continue;
      for (const probe of probes) {
        using pair = new Pair(example);
        for (const engine of [pair.session, pair.viewer]) engine.write(bytes(probe));
        expect([name, probe, pictureOf(pair.viewer)]).toEqual([name, probe, pictureOf(pair.session)]);
      }
    }
  });
});

/** All that a person or a program can see: text, what the cursor printed last, answers. */
function shownIn(pair: Pair, index: 0 | 1): string {
  const engine = index === 0 ? pair.session : pair.viewer;
  const { header, primary, alternate } = engine.screens();
  const { grid } = (header.alternateActive ? alternate : undefined) ?? primary;
  const row = grid.row(grid.count - grid.visible + engine.cursor.row);
  const cells = row.cells();
  const at = Math.max(0, engine.cursor.col - 1);
  const { flags, foreground } = row.style(cellStyle(cells.low(at), cells.high(at)));
  const color = foreground.kind === "palette" ? `palette.${foreground.index}` : foreground.kind;
  const printed = `${String.fromCodePoint(cellContent(cells.low(at)) || 0x20)} ${flags}/${color}`;
  return [...engine.recentLines(HISTORY), printed, pair.replies[index]].join("\n");
}
