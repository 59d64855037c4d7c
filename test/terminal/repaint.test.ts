import { describe, expect, test } from "bun:test";
import { type RepaintOptions, repaint } from "../../packages/host/src/worker/repaint/repaint.ts";
import { SYNTHETIC_STATES } from "./support/synthetic-states.ts";
import { bytes, compareGhostty, compareXterm, Terminals } from "./support/terminals.ts";

const SIZE = { cols: 20, rows: 6 };
const terminals = new Terminals();

function repaintOf(output: string, options: RepaintOptions): string {
  using engine = terminals.ghostty(SIZE);
  engine.write(bytes(output));
  return Buffer.from(repaint(engine, options)).toString("utf8");
}

const lines = (count: number): string => Array.from({ length: count }, (_, line) => `line ${line}\r\n`).join("");

describe("what a repaint is made of", () => {
  test("never begins like a JSON message and never resets the viewer's terminal", () => {
    for (const { output } of SYNTHETIC_STATES) {
      for (const viewer of ["fresh", "used"] as const) {
        using engine = terminals.ghostty({ cols: 80, rows: 24 });
        engine.write(typeof output === "string" ? bytes(output) : output);
        const text = Buffer.from(repaint(engine, { historyLines: 1000, viewer })).toString("latin1");
        expect(text[0]).not.toBe("{");
        expect(text).not.toContain("\x1bc");
        // Erasing the scrollback takes the user's own lines with it.
        expect(text).not.toContain("\x1b[3J");
      }
    }
  });

  test("is shown at once: the frame is held until everything is there", () => {
    const text = repaintOf(lines(500), { historyLines: 500, viewer: "fresh" });
    expect(text.startsWith("\x1b[?2026h")).toBe(true);
    expect(text.slice(text.lastIndexOf("\x1b[?2026l")).length).toBeLessThan(40);
  });

  test("leaves a frame held that the program holds", () => {
    expect(repaintOf("\x1b[?2026hhi", { historyLines: 0 })).not.toContain("\x1b[?2026l");
  });

  test("takes as much history as is asked for, from the beginning of a line", () => {
    for (const historyLines of [0, 1, 10, 300]) {
      using viewer = terminals.ghostty(SIZE);
      viewer.write(bytes(repaintOf(lines(400), { historyLines, viewer: "fresh" })));
      expect(viewer.historyRows).toBe(historyLines);
    }
    using viewer = terminals.ghostty(SIZE);
    viewer.write(bytes(repaintOf(`${"y".repeat(50)}\r\n${lines(5)}`, { historyLines: 1, viewer: "fresh" })));
    expect(viewer.recentLines(10)[0]).toBe("y".repeat(20));
  });

  test("leaves to the viewer what is its user's, unless the program took it", () => {
    const text = repaintOf("$ ", { historyLines: 0, viewer: "fresh" });
    for (const sequence of [
      "\x1b[<",
      "\x1b]104",
      "\x1b]110",
      "\x1b]0;",
      "\x1b]7;",
      "\x1b[3g",
      "\x1b]133",
      "\x18",
      "\x1b[?47",
      "\x1b[?1049",
    ]) {
      expect(text).not.toContain(sequence);
    }
    for (const mode of ["67", "1007", "1036", "2027", "12"])
      expect(text).not.toMatch(new RegExp(`\\x1b\\[\\?(\\d+;)*${mode}(;\\d+)*[hl]`));
  });

  test("can leave the main screen alone while the program is on the alternate one", () => {
    using original = terminals.ghostty(SIZE);
    using viewer = terminals.ghostty(SIZE);
    original.write(bytes("program's shell\x1b[?1049h\x1b[Heditor"));
    viewer.write(bytes("user's own text\r\n"));
    viewer.write(repaint(original, { historyLines: 0, viewer: "fresh", screens: "active" }));
    expect(viewer.visibleLines()[0]).toBe("editor");
    viewer.write(bytes("\x1b[?1049l"));
    expect([viewer.visibleLines()[0], viewer.cursor.row]).toEqual(["user's own text", 1]);
  });
});

describe("cursor after a re-attach", () => {
  // Region, origin mode, tab stops, character set and pending wrap together.
  const output = `${lines(200)}\x1b[3g\x1b[1;6H\x1bH\x1b(0\x1b[2;5r\x1b[?6h\x1b[2;17H`;

  test("is where it was, and the terminal says so", () => {
    const replies: string[] = [];
    using original = terminals.ghostty(SIZE);
    using viewer = terminals.ghostty(SIZE, { reply: (reply) => replies.push(Buffer.from(reply).toString("latin1")) });
    original.write(bytes(output));
    viewer.write(repaint(original, { historyLines: 100 }));
    viewer.write(bytes("\x1b[6n"));
    expect(replies).toEqual(["\x1b[2;17R"]);
    expect(compareGhostty(original, viewer, 100)).toEqual([]);
  });

  test("wraps where it would have", () => {
    using original = terminals.ghostty(SIZE);
    using viewer = terminals.ghostty(SIZE);
    original.write(bytes(`${output}qqqq`));
    viewer.write(repaint(original, { historyLines: 100 }));
    for (const engine of [original, viewer]) engine.write(bytes("q\tq"));
    expect(compareGhostty(original, viewer, 100)).toEqual([]);
  });
});

describe("what follows a repaint", () => {
  test("looks as the program wants it, also in a prompt that began in another row", () => {
    for (const link of ["", "\x1b]8;;https://example.org\x07"]) {
      using original = terminals.ghostty(SIZE);
      using viewer = terminals.ghostty(SIZE);
      original.write(bytes(`${"x".repeat(21)}\x1b[1X\x1b[38;5;200m${link}\x1b]133;P\x07\x1b[A`));
      viewer.write(repaint(original, { historyLines: 0, viewer: "fresh" }));
      expect(compareGhostty(original, viewer, 0)).toEqual([]);
      for (const engine of [original, viewer]) engine.write(bytes("a"));
      expect(compareGhostty(original, viewer, 0)).toEqual([]);
    }
  });

  test.each(["\u0301", "\x1b[3b", "\u200d💻", "\ufe0f"])("joins the last character in both engines: %j", (next) => {
    for (const text of ["e", "日", "text 😀"]) {
      using source = terminals.ghostty(SIZE);
      using viewer = terminals.ghostty(SIZE);
      using original = terminals.xterm(SIZE);
      using xterm = terminals.xterm(SIZE);
      for (const engine of [source, original]) engine.write(bytes(text));
      const painted = repaint(source, { historyLines: 0, viewer: "fresh" });
      for (const engine of [viewer, xterm]) engine.write(painted);
      for (const engine of [source, viewer, original, xterm]) engine.write(bytes(next));
      expect(compareGhostty(source, viewer, 0)).toEqual([]);
      expect(compareXterm(original, xterm, 0)).toEqual([]);
    }
  });

  test("a resize gives the same lines", () => {
    for (const output of [`${"word ".repeat(40)}\r\n${lines(20)}`, `${lines(3)}\x1b[44m${"z".repeat(90)}\x1b[m`]) {
      using original = terminals.ghostty(SIZE);
      using viewer = terminals.ghostty(SIZE);
      original.write(bytes(output));
      viewer.write(repaint(original, { historyLines: 1000, viewer: "fresh" }));
      for (const [cols, rows] of [
        [31, 9],
        [11, 4],
        [20, 6],
      ] as const) {
        for (const engine of [original, viewer]) engine.resize(cols, rows);
        expect(compareGhostty(original, viewer, 1000)).toEqual([]);
      }
    }
  });

  test("a repaint after a resize is exact", () => {
    for (const [cols, rows] of [
      [31, 9],
      [11, 4],
      [200, 50],
    ] as const) {
      using original = terminals.ghostty(SIZE);
      original.write(
        bytes(`${"word ".repeat(40)}漢字漢字漢字\r\n${lines(20)}\x1b[41m${"z".repeat(33)}\x1b[m\x1b7\x1b[?1049hcover`),
      );
      original.resize(cols, rows);
      using viewer = terminals.ghostty({ cols, rows });
      viewer.write(repaint(original, { historyLines: 1000, viewer: "fresh" }));
      expect(compareGhostty(original, viewer, 1000)).toEqual([]);
    }
  });

  test("an overlong sequence is passed over by the viewer too", () => {
    using original = terminals.ghostty(SIZE);
    using viewer = terminals.ghostty(SIZE);
    original.write(bytes("seen\x1b]0;"));
    const chunk = new Uint8Array(500_000).fill(0x42);
    for (let index = 0; index < 6; index += 1) original.write(chunk);
    viewer.write(repaint(original, { historyLines: 0 }));
    for (const engine of [original, viewer]) engine.write(bytes("BBBB\x07 again"));
    expect(viewer.visibleLines()[0]).toBe("seen again");
    expect(compareGhostty(original, viewer, 0)).toEqual([]);
  });
});
