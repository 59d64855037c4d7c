import { describe, expect, test } from "bun:test";
import { Terminal as Emulator } from "@xterm/headless";
import type { OpenDataStreamParams } from "../../packages/host/src/worker-api/operations.ts";
import type { AdjustViewParams } from "../../packages/host/src/worker-api/viewers.ts";
import { until } from "../support/index.ts";
import { Viewer } from "./support/viewer.ts";
import type { ControlledWorker } from "./support/worker-under-test.ts";
import { WorkerUnderTest } from "./support/worker-under-test.ts";

/** A viewer with a terminal. */
class Watcher implements Disposable {
  readonly #emulator: Emulator;
  readonly #viewer: Viewer;
  readonly #session: ControlledWorker;
  readonly #stream: string;
  #fed = 0;

  private constructor(session: ControlledWorker, opened: { viewer: Viewer; emulator: Emulator; stream: string }) {
    this.#session = session;
    this.#viewer = opened.viewer;
    this.#emulator = opened.emulator;
    this.#stream = opened.stream;
  }

  static async attach(session: ControlledWorker, params: OpenDataStreamParams): Promise<Watcher> {
    const stream = `a-${Math.random()}`;
    const viewer = await Viewer.attach(session.client, { stream, mode: "view", ...params });
    await viewer.isSynced();
    const { cols = 80, rows = 24 } = params;
    const emulator = new Emulator({ cols, rows, allowProposedApi: true });
    return new Watcher(session, { viewer, emulator, stream });
  }

  get viewer(): Viewer {
    return this.#viewer;
  }

  async adjust(params: Omit<AdjustViewParams, "stream">): Promise<object> {
    return await this.#session.client.adjustView({ stream: this.#stream, ...params });
  }

  async resize(cols: number, rows: number): Promise<void> {
    this.#emulator.resize(cols, rows);
    await this.#session.client.resize({ cols, rows, stream: this.#stream });
  }

  async #feed(): Promise<void> {
    const { bytes } = this.#viewer;
    const news = bytes.subarray(this.#fed);
    this.#fed = bytes.length;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#emulator.write(news, resolve);
    await promise;
  }

  /** The rows of its screen, without blanks at the end. */
  async rows(): Promise<string[]> {
    await this.#feed();
    const { active } = this.#emulator.buffer;
    return Array.from(
      { length: this.#emulator.rows },
      (_, row) => active.getLine(active.baseY + row)?.translateToString(true) ?? "",
    );
  }

  async shows(what: string, matches: (rows: string[]) => boolean): Promise<string[]> {
    return await until(what, async () => {
      const rows = await this.rows();
      return matches(rows) && rows;
    });
  }

  /** What each cell looks like. */
  async cells(): Promise<string[][]> {
    await this.#feed();
    const { active } = this.#emulator.buffer;
    return Array.from({ length: this.#emulator.rows }, (_, row) =>
      Array.from({ length: this.#emulator.cols }, (__, col) => {
        const cell = active.getLine(active.baseY + row)?.getCell(col);
        if (!cell) {
          return "";
        }
        const look = [cell.getFgColorMode(), cell.getFgColor(), cell.getBgColorMode(), cell.getBgColor()];
        const attributes = [cell.isBold(), cell.isItalic(), cell.isInverse(), cell.isUnderline(), cell.isDim()];
        return [cell.getChars() || " ", ...look, ...attributes].join(" ");
      }),
    );
  }

  get cursor(): { row: number; col: number } {
    const { cursorX: col, cursorY: row } = this.#emulator.buffer.active;
    return { row, col };
  }

  [Symbol.dispose](): void {
    this.#viewer[Symbol.dispose]();
    this.#emulator.dispose();
  }
}

/** 30 rows of 100 columns, each cell telling its row and column; then the cursor at row 25, column 90 (from 0). */
const GRID = `i=0; while [ $i -lt 30 ]; do printf "\\033[$((i+1));1H"; j=0; while [ $j -lt 10 ]; do printf '%02d:%d......' $i $j; j=$((j+1)); done; i=$((i+1)); done; printf '\\033[26;91H'`;
const WAITS = 'stty -echo; while read -r key; do eval "$key"; done';

const gridRow = (row: number): string =>
  Array.from({ length: 10 }, (_, index) => `${String(row).padStart(2, "0")}:${index}......`).join("");

async function startGrid(worker: WorkerUnderTest): Promise<ControlledWorker> {
  const script = `trap 'printf resized' WINCH; ${GRID}; ${WAITS}`;
  const session = await worker.run(script, { cols: 100, rows: 30 });
  await session.shows(gridRow(29));
  return session;
}

describe("a picture", () => {
  test("follows the cursor, is moved, and comes back; the program knows nothing of it", async () => {
    await using worker = await WorkerUnderTest.start();
    await using session = await startGrid(worker);
    using watcher = await Watcher.attach(session, { cols: 40, rows: 10, viewer: "fresh" });
    const part = (row: number, col: number): string[] =>
      Array.from({ length: 10 }, (_, index) => gridRow(row + index).slice(col, col + 40));
    expect(await watcher.rows()).toEqual(part(16, 51));
    expect(watcher.cursor).toEqual({ row: 9, col: 39 });
    expect(watcher.viewer.text).toStartWith("\x1b[?1049h");
    expect(await watcher.adjust({ move_cols: -1_000, move_rows: -1_000 })).toEqual({ layout: "screen", follow: false });
    await watcher.shows("the upper left", (rows) => rows[0] === part(0, 0)[0]);
    expect(await watcher.rows()).toEqual(part(0, 0));
    await watcher.adjust({ move_cols: 7, move_rows: 3 });
    await watcher.shows("a part further on", (rows) => rows[0] === part(3, 7)[0]);
    await session.type("printf '\\033[1;1H'\n");
    await session.type("printf 'changed here'\n");
    await watcher.adjust({ move_cols: -7, move_rows: -3 });
    await watcher.shows("what changed", (rows) => rows[0]?.startsWith("changed here") === true);
    expect(await watcher.adjust({ follow: true })).toEqual({ layout: "screen", follow: true });
    await session.type("printf '\\033[30;1H'\n");
    expect(await watcher.shows("the last row", (rows) => rows[9] === part(20, 0)[9])).toEqual(part(20, 0));
    await watcher.resize(100, 40);
    const whole = await watcher.shows("the whole", (rows) => rows[29] === gridRow(29));
    expect(whole.slice(30)).toEqual(Array.from({ length: 10 }, () => ""));
    await watcher.resize(2, 1);
    await watcher.shows("two cells", ([only]) => only === "29");
    expect(await session.client.inspect()).toMatchObject({ cols: 100, rows: 30, attached: 1 });
    expect((await session.output()).toString()).not.toContain("resized");
  });

  test("has the colours and attributes of the screen, and characters of any width at its edges", async () => {
    await using worker = await WorkerUnderTest.start();
    const lines = [
      String.raw`\033[31mred \033[1;44mbold on blue\033[0m \033[38;2;1;2;3;48;5;200mrgb\033[0m`,
      String.raw`ab\346\274\242\345\255\227cd\346\274\242\345\255\227ef\346\274\242 end`,
      String.raw`\033[7minverse\033[0m \033[3;4;2mstyles\033[0m e\314\201 \360\237\230\200x`,
      String.raw`\033[42m\033[K\033[0m`,
    ];
    await using session = await worker.run(`printf '${lines.join("\\r\\n")}\\033[10;1Hready'; exec cat`);
    await session.shows("ready");
    using whole = await Watcher.attach(session, { cols: 80, rows: 24 });
    const cells = await whole.cells();
    for (const left of [0, 1, 2, 3, 4, 5, 6, 9, 12]) {
      for (const cols of [5, 6, 13]) {
        using watcher = await Watcher.attach(session, { cols, rows: 4 });
        await watcher.adjust({ move_cols: -1_000, move_rows: -1_000 });
        await watcher.adjust({ move_cols: left, follow: false });
        const wanted = cells.slice(0, 4).map((row) => row.slice(left, left + cols));
        let seen: string[][] = [];
        await until(`the cells from ${left} on, ${cols} wide`, async () => {
          seen = await watcher.cells();
          // Half a wide character at an edge is a blank; every other cell is the same.
          return seen.every((row, index) =>
            row.every((cell, col) => cell === wanted[index]?.[col] || (isEdge(col, cols) && cell.startsWith(" "))),
          );
        });
      }
    }
    expect(cells[0]?.[5]?.split(" ")).toEqual(["o", "16777216", "1", "16777216", "4", "134217728", "0", "0", "0", "0"]);
    expect(cells[3]?.[70]?.startsWith("  ")).toBe(true);
  });

  test("as text is broken for the viewer's width, and goes back into the history", async () => {
    await using worker = await WorkerUnderTest.start();
    const long = "The quick brown fox jumps over the lazy dog and runs away.";
    await using session = await worker.run(`seq 1 200; echo '${long}'; ${WAITS}`, { cols: 40, rows: 10 });
    await session.shows("away.");
    using watcher = await Watcher.attach(session, { cols: 20, rows: 6 });
    expect(await watcher.adjust({ layout: "text" })).toEqual({ layout: "text", follow: true });
    const text = ["The quick brown fox ", "jumps over the lazy ", "dog and runs away."];
    expect(await watcher.shows("the text", (rows) => rows[5] === text[2])).toEqual(["198", "199", "200", ...text]);
    expect(await watcher.adjust({ move_rows: -100 })).toEqual({ layout: "text", follow: false });
    await watcher.shows("older lines", (rows) => rows[0] === "98" && rows[5] === "103");
    await watcher.adjust({ move_rows: -100_000 });
    await watcher.shows("the oldest line", (rows) => rows[0] === "1");
    expect(await watcher.adjust({ move_rows: 100_000 })).toEqual({ layout: "text", follow: true });
    await session.type("echo more\n");
    await watcher.shows("the newest line", (rows) => rows[5] === "more");
    await watcher.adjust({ layout: "screen" });
    await watcher.shows("the screen", (rows) => rows.includes("more"));
  });

  test("is the last one when the program ends, with its outcome", async () => {
    await using worker = await WorkerUnderTest.start();
    await using session = await worker.run("printf ready; read x; seq 1 100000; printf 'last words'; exit 3");
    await session.shows("ready");
    using watcher = await Watcher.attach(session, { cols: 30, rows: 5 });
    await session.type("\n");
    await watcher.viewer.closed;
    expect(await watcher.rows()).toEqual(["99997", "99998", "99999", "100000", "last words"]);
    expect(watcher.viewer.exit).toMatchObject({ code: 3 });
    using late = await Watcher.attach(session, { cols: 30, rows: 5 });
    await late.viewer.closed;
    expect(await late.rows()).toContain("last words");
  });

  test("takes no input, and has no part in the size", async () => {
    await using worker = await WorkerUnderTest.start();
    await using session = await worker.run("printf ready; exec cat");
    await session.shows("ready");
    using owner = await Viewer.attach(session.client, { cols: 90, rows: 20 });
    using watcher = await Watcher.attach(session, { cols: 30, rows: 5 });
    watcher.viewer.type("from the watcher\n");
    owner.type("from the owner\n");
    await watcher.shows("what the owner typed", (rows) => rows.includes("from the owner"));
    owner[Symbol.dispose]();
    await session.event("attach_count_changed", ({ attached }) => attached === 1);
    expect((await session.output()).toString()).not.toContain("watcher");
    expect(await session.client.inspect()).toMatchObject({ cols: 90, rows: 20 });
    const refused = await session.client.adjustView({ stream: "a-none" }).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: "worker_invalid_request" });
  });
});

describe("a client whose terminal has another size than the session", () => {
  test("gets pictures for its own until the size is its own, then the output again, byte for byte", async () => {
    await using worker = await WorkerUnderTest.start();
    await using session = await worker.run(`${GRID}; ${WAITS}`, { cols: 100, rows: 30 });
    await session.shows(gridRow(29));
    using large = await Watcher.attach(session, { mode: "interactive", cols: 100, rows: 30, viewer: "fresh" });
    const isWhole = (rows: string[]): boolean => rows.every((row, index) => row === gridRow(index));
    await large.shows("the screen", isWhole);
    using small = await Watcher.attach(session, { mode: "interactive", cols: 40, rows: 10 });
    await session.event("geometry_changed", ({ cols, rows }) => cols === 40 && rows === 10);
    const shown = (await session.client.snapshot()).visible_lines;
    const filled = [...shown, ...Array.from({ length: 20 }, () => "")];
    expect(await large.shows("the small screen", (rows) => rows[0] === shown[0])).toEqual(filled);
    expect(await small.shows("the same", (rows) => rows[0] === shown[0])).toEqual([...shown]);
    // Whoever types has the size again; the other one now sees a part.
    large.viewer.type("printf 'typed here'\n");
    await session.event("geometry_changed", ({ cols, rows }) => cols === 100 && rows === 30);
    const typed = await large.shows("its own screen", (rows) => rows.some((row) => row.includes("typed here")));
    expect(typed).toEqual([...(await session.client.snapshot()).visible_lines]);
    expect(await small.shows("a part", (rows) => rows.some((row) => row.includes("typed here")))).toHaveLength(10);
    const mark = large.viewer.totalBytes;
    large.viewer.type("stty -onlcr; seq 1 200000; printf done\n");
    const text = Array.from({ length: 200_000 }, (_, index) => `${index + 1}\n`).join("");
    await large.viewer.sees(`${text}done`);
    expect(large.viewer.totalBytes - mark).toBe(text.length + "done".length);
    await small.shows("the end", (rows) => rows.some((row) => row.includes("done")));
    // The owner's leaving gives the size to the other one, who gets the output again.
    large[Symbol.dispose]();
    await session.event("attach_count_changed", ({ attached }) => attached === 1);
    small.viewer.type("printf '\\033[2J\\033[Hsmall again'\n");
    await small.viewer.sees("\x1b[2J\x1b[Hsmall again");
    expect(await session.client.inspect()).toMatchObject({ cols: 40, rows: 10 });
  });

  test("sees the end of the program, and can be sent away", async () => {
    await using worker = await WorkerUnderTest.start();
    await using session = await worker.run("printf ready; read x; printf 'last words'; exit 3", { cols: 90, rows: 20 });
    await session.shows("ready");
    using reader = await Watcher.attach(session, { mode: "read_only", cols: 30, rows: 5 });
    await reader.shows("the screen", (rows) => rows[0] === "ready");
    using gone = await Watcher.attach(session, { mode: "read_only", cols: 30, rows: 5, stream: "a-gone" });
    expect(await session.client.closeStream({ stream: "a-gone" })).toEqual({ closed: true });
    await gone.viewer.closed;
    expect(await session.client.inspect()).toMatchObject({ attached: 1, cols: 90, rows: 20 });
    await session.type("\n");
    await reader.viewer.closed;
    expect((await reader.rows()).join("")).toContain("last words");
    expect(reader.viewer.exit).toMatchObject({ code: 3 });
  });

  test("is taken up again and again without an end mark, a byte or a picture in the wrong place", async () => {
    await using worker = await WorkerUnderTest.start();
    await using session = await worker.run(`${GRID}; ${WAITS}`, { cols: 100, rows: 30 });
    await session.shows(gridRow(29));
    using one = await Watcher.attach(session, { mode: "interactive", cols: 100, rows: 30 });
    using two = await Watcher.attach(session, { mode: "interactive", cols: 60, rows: 20 });
    const flood =
      "i=0; while [ $i -lt 3000 ]; do i=$((i+1)); printf '\\033[1;%dmline %d\\033[0m\\r\\n' $((31+i%7)) $i; done";
    two.viewer.type(`${flood}; printf flooded\n`);
    const switches = setInterval(() => {
      one.viewer.type(" ");
      two.viewer.type(" ");
    }, 10);
    await until(
      "the flood to end",
      async () => {
        const { visible_lines: lines } = await session.client.snapshot();
        return lines.some((line) => line.includes("flooded"));
      },
      30_000,
    );
    clearInterval(switches);
    for (const last of [one, two]) {
      // What the other one typed last may come later than this.
      await until("its own screen", async () => {
        last.viewer.type(" ");
        const { visible_lines: lines, cols } = await session.client.snapshot();
        return cols === (last === one ? 100 : 60) && (await last.rows()).join() === lines.join();
      });
    }
  }, 60_000);
});

describe("a copy to the clipboard", () => {
  test("reaches interactive clients of another size too, once and whole, and nobody who only looks", async () => {
    await using worker = await WorkerUnderTest.start();
    await using session = await worker.run(`printf ready; ${WAITS}`, { cols: 100, rows: 30 });
    await session.shows("ready");
    using owner = await Watcher.attach(session, { mode: "interactive", cols: 100, rows: 30 });
    using small = await Watcher.attach(session, { mode: "interactive", cols: 40, rows: 10 });
    using viewing = await Watcher.attach(session, { mode: "view", cols: 40, rows: 10 });
    using reading = await Watcher.attach(session, { mode: "read_only", cols: 60, rows: 12 });
    const large = "printf '\\033]52;p;'; head -c 1048000 /dev/zero | base64 -w 0; printf '\\007'";
    const tooLarge = "printf '\\033]52;c;'; head -c 1049000 /dev/zero | base64 -w 0; printf '\\007'";
    owner.viewer.type(`printf '\\033]52;c;Y29weQ==\\007'; printf copied\n`);
    await small.viewer.sees("\x1b]52;c;Y29weQ==\x1b\\");
    owner.viewer.type(`${tooLarge}; ${large}\n`);
    const copies = (): [place: string, text: string][] =>
      [...small.viewer.text.matchAll(/\x1b\]52;([a-z]);([^\x1b]*)\x1b\\/g)].map(([, place = "", text = ""]) => [
        place,
        text,
      ]);
    await until("the large one", () => copies().length === 2);
    owner.viewer.type("printf '\\033]52;s;\\007\\r\\ndone'\n");
    await until("the one that clears", () => copies().length === 3);
    expect(copies()).toEqual([
      ["c", "Y29weQ=="],
      ["p", Buffer.alloc(1_048_000).toString("base64")],
      ["s", ""],
    ]);
    for (const looker of [viewing, reading]) {
      await looker.shows("the end", (rows) => rows.some((row) => row.includes("done")));
      expect(looker.viewer.text).not.toContain("]52;");
    }
  });

  test("is kept from clients of another size where the session refuses it", async () => {
    await using worker = await WorkerUnderTest.start();
    const clipboard = { write: "refuse", read: "refuse", max_bytes: 1_000 } as const;
    await using session = await worker.run(`printf ready; ${WAITS}`, { cols: 100, rows: 30, clipboard });
    await session.shows("ready");
    using small = await Watcher.attach(session, { mode: "interactive", cols: 40, rows: 10 });
    using owner = await Watcher.attach(session, { mode: "interactive", cols: 100, rows: 30 });
    owner.viewer.type(`printf '\\033]52;c;Y29weQ==\\007'; printf copied\n`);
    await small.shows("what came behind", (rows) => rows.some((row) => row.includes("copied")));
    expect(small.viewer.text).not.toContain("]52;");
  });
});

function isEdge(col: number, cols: number): boolean {
  return col === 0 || col === cols - 1;
}

describe("under a flood", () => {
  test("viewers get some of the pictures and the last one; a stopped one costs nothing, the owner gets every byte", async () => {
    await using worker = await WorkerUnderTest.start();
    const flood = "stty -onlcr; printf ready; read x; seq 1 3000000; printf 'the end'; read x";
    await using session = await worker.run(flood);
    await session.shows("ready");
    using owner = await Viewer.attach(session.client, { keeps: false });
    await owner.isSynced();
    const watchers = await Promise.all([30, 40, 50].map((cols) => Watcher.attach(session, { cols, rows: 10 })));
    using stopped = await Watcher.attach(session, { cols: 60, rows: 10 });
    stopped.viewer.stream.pause();
    const [before, painted] = [stopped.viewer.totalBytes, owner.totalBytes];
    const startMs = performance.now();
    owner.type("\n");
    const total = 22_888_896 + "the end".length;
    await until("every byte", () => owner.totalBytes - painted >= total, 60_000);
    const seconds = (performance.now() - startMs) / 1_000;
    expect(owner.syncs).toHaveLength(1);
    for (const watcher of watchers) {
      await watcher.shows("the end", (rows) => rows.some((row) => row.includes("the end")));
      const pictures = watcher.viewer.text.split("\x1b[?2026l").length;
      expect(pictures).toBeLessThan(20 * seconds + 12);
      watcher[Symbol.dispose]();
    }
    // What a socket holds, and one picture.
    expect(stopped.viewer.totalBytes - before).toBeLessThan(1_000_000);
    stopped.viewer.stream.resume();
    await stopped.shows("the end", (rows) => rows.some((row) => row.includes("the end")));
  }, 90_000);
});
