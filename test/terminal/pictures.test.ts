import { describe, expect, test } from "bun:test";
import { cellContent, cellLink, cellStyle } from "../../packages/host/src/worker/engine/terminal-state.ts";
import type { PictureStreamOptions, ReadSubject } from "../../packages/host/src/worker/picture-stream.ts";
import { PictureStream } from "../../packages/host/src/worker/picture-stream.ts";
import { repaint } from "../../packages/host/src/worker/repaint/repaint.ts";
import { ScreenLook } from "../../packages/host/src/worker/repaint/screen-look.ts";
import { bytes, Terminals } from "./support/terminals.ts";

type Engine = ReturnType<Terminals["ghostty"]>;

const SIZE = { cols: 40, rows: 4 };
const SMALL = { cols: 12, rows: 4 };
const terminals = new Terminals();

/** A session's terminal, and the terminal of somebody who is shown pictures of it. */
class Shown implements Disposable {
  readonly session = terminals.ghostty(SIZE);
  readonly viewer: Engine;
  readonly stream: PictureStream;
  text = "";

  constructor(terminal: PictureStreamOptions["terminal"], size = SIZE) {
    this.viewer = terminals.ghostty(size);
    this.stream = new PictureStream({
      sink: { write: (piece) => this.#take(piece), end: () => undefined },
      size,
      terminal,
      takesCopies: false,
      raw: { sync: () => undefined, failed: () => undefined },
      onFailure: (cause) => {
        throw cause;
      },
    });
  }

  print(output: string): void {
    this.session.write(bytes(output));
  }

  show(): void {
    const read: ReadSubject = (paint) =>
      paint({ look: new ScreenLook(this.session.screens(), this.session), lines: () => ["text"], outputOffset: 0 });
    this.text = "";
    this.stream.show(read);
  }

  #take(piece: Uint8Array): number {
    this.viewer.write(piece);
    this.text += Buffer.from(piece).toString("utf8");
    return piece.length;
  }

  [Symbol.dispose](): void {
    this.session[Symbol.dispose]();
    this.viewer[Symbol.dispose]();
  }
}

/** Character, foreground and link of each cell in view. */
function cellsOf(engine: Engine): string[][] {
  const { header, primary, alternate } = engine.state(0);
  const { grid } = (header.alternateActive ? alternate : undefined) ?? primary;
  return Array.from({ length: grid.visible }, (_, index) => {
    const row = grid.row(grid.count - grid.visible + index);
    const cells = row.cells();
    return Array.from({ length: header.cols }, (_unused, col) => {
      const id = cellLink(cells.high(col));
      const link = id === 0 ? "" : row.hyperlink(id).uri;
      const style = JSON.stringify(row.style(cellStyle(cells.low(col), cells.high(col))).foreground);
      return `${String.fromCodePoint(cellContent(cells.low(col)) || 32)} ${style} ${link}`;
    });
  });
}

function colorsOf(engine: Engine): object {
  const { palette, foreground, background, cursorColor } = engine.state(0).header;
  return { palette: [...palette], foreground, background, cursorColor };
}

describe("links in a picture", () => {
  const OUTPUT = [
    "\x1b]8;;https://example.org/é\x1b\\a link\x1b]8;;\x1b\\ and \x1b]8;id=x;https://example.org/b\x1b\\one that\x1b[31m goes",
    "\r\n on 漢字 in red\x1b]8;;\x1b\\ to here\x1b[m\r\n\x1b]8;;https://example.org/end\x1b\\open",
  ].join("");

  test("are those of the screen, in every part of it", () => {
    using whole = new Shown("fresh");
    whole.print(OUTPUT);
    whole.show();
    expect(cellsOf(whole.viewer)).toEqual(cellsOf(whole.session));
    for (let left = 0; left < 20; left += 1) {
      using part = new Shown("fresh", SMALL);
      part.print(OUTPUT);
      part.stream.adjust({ move_cols: left, follow: false }, SIZE);
      part.show();
      const wanted = cellsOf(part.session).map((row) => row.slice(left, left + SMALL.cols));
      for (const [index, row] of cellsOf(part.viewer).entries()) {
        for (const [col, cell] of row.entries()) {
          const isHalf = (col === 0 || col === SMALL.cols - 1) && cell.startsWith(" ");
          if (!isHalf) expect([left, index, col, cell]).toEqual([left, index, col, wanted[index]?.[col] ?? ""]);
        }
      }
    }
  });

  test("of one name stay one link, and none is left open", () => {
    using shown = new Shown("used");
    shown.viewer.write(bytes("\x1b]8;;https://example.org/before\x1b\\mine"));
    shown.print("\x1b]8;;https://example.org/a\x1b\\one\r\ntwo\x1b]8;;\x1b\\\r\nplain");
    shown.show();
    expect(cellsOf(shown.viewer)).toEqual(cellsOf(shown.session));
    const ids = [...shown.text.matchAll(/\x1b\]8;(id=[^;]+);/g)].map(([, id]) => id);
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(1);
    shown.viewer.write(bytes("x"));
    expect(
      cellsOf(shown.viewer)
        .flat()
        .filter((cell) => cell.endsWith("before")),
    ).toEqual([]);
  });
});

describe("colours of the terminal in a picture", () => {
  const SET =
    "\x1b]4;1;rgb:10/20/30\x07\x1b]4;200;rgb:01/02/03\x07\x1b]10;#aabbcc\x07\x1b]11;#112233\x07\x1b]12;#445566\x07";

  test.each(["fresh", "used", "session"] as const)("are the program's, on a %s terminal, and follow it", (terminal) => {
    using shown = new Shown(terminal);
    shown.print(`${SET}\x1b[31mred`);
    shown.show();
    expect(colorsOf(shown.viewer)).toEqual(colorsOf(shown.session));
    shown.print("\x1b]104;1\x07\x1b]4;7;rgb:07/07/07\x07\x1b]111\x07\x1b]10;#000000\x07");
    shown.show();
    expect(colorsOf(shown.viewer)).toEqual(colorsOf(shown.session));
    shown.print(" more");
    shown.show();
    expect(shown.text).not.toMatch(/\x1b\]1?[01]/);
    shown.print("\x1b]104\x07\x1b]110\x07\x1b]112\x07");
    shown.show();
    expect(colorsOf(shown.viewer)).toEqual(colorsOf(shown.session));
  });

  test("are taken back where the session gave them up while its viewer was shown pictures in their place", () => {
    using shown = new Shown("session");
    shown.print(SET);
    shown.viewer.write(bytes(SET));
    shown.print("\x1b]104\x07\x1b]110\x07\x1b]111\x07\x1b]112\x07");
    shown.show();
    expect(colorsOf(shown.viewer)).toEqual(colorsOf(shown.session));
  });

  test("are left to the viewer's terminal while the program sets none", () => {
    for (const terminal of ["fresh", "used", "session"] as const) {
      using shown = new Shown(terminal);
      shown.print("plain");
      shown.show();
      expect(shown.text).not.toMatch(/\x1b\](4|1[0-2]|104|11[0-2])[;\x1b]/);
    }
  });

  test("come back with the output, whatever the pictures set", () => {
    using shown = new Shown("session");
    shown.print(SET);
    shown.show();
    shown.print("\x1b]104\x07\x1b]110\x07\x1b]111\x07\x1b]112\x07");
    shown.viewer.write(repaint(shown.session, { historyLines: 0 }));
    expect(colorsOf(shown.viewer)).toEqual(colorsOf(shown.session));
  });
});
