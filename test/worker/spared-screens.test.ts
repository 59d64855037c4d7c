import { describe, expect, test } from "bun:test";
import { Terminal } from "@xterm/headless";
import { until } from "../support/index.ts";
import { Viewer } from "./support/viewer.ts";
import { WorkerUnderTest } from "./support/worker-under-test.ts";

const ESC = "\u001b";
const LOCAL = ["local one", "local two"];

/** What the viewer's terminal shows, with two lines of its user on it from before. */
async function shown(viewer: Viewer): Promise<{ readonly screen: string[]; readonly scrollback: string[] }> {
  const terminal = new Terminal({ cols: 80, rows: 24, allowProposedApi: true, scrollback: 200 });
  await new Promise<void>((resolve) => {
    terminal.write(LOCAL.map((line) => `${line}\r\n`).join(""));
    terminal.write(viewer.bytes, resolve);
  });
  const { active, normal } = terminal.buffer;
  const rows = (buffer: typeof active, from: number, count: number): string[] =>
    Array.from({ length: count }, (_, row) => buffer.getLine(from + row)?.translateToString(true) ?? "");
  const screen = rows(active, active.baseY, 24).filter((line) => line !== "");
  const scrollback = rows(normal, 0, normal.baseY).filter((line) => line !== "");
  terminal.dispose();
  return { screen, scrollback };
}

/** Prints on the main screen, goes to the alternate one, and obeys: each line of input is printed as a format of printf. */
const OBEYS = String.raw`stty -echo; printf '%s' "$0"; printf '\033[?1049h\033[HALTERNATE'; while read -r line; do printf "$line"; done`;
const FRESH = { cols: 80, rows: 24, viewer: "fresh", screens: "active" } as const;

describe("a viewer that was given the alternate screen alone", () => {
  test("has its own main screen below it", async () => {
    await using worker = await WorkerUnderTest.start();
    await using session = await worker.run(["/bin/sh", "-c", OBEYS, "main text"]);
    await session.shows("ALTERNATE");
    using viewer = await Viewer.attach(session.client, FRESH);
    await viewer.sees("ALTERNATE");
    expect(viewer.text).toStartWith(`${ESC}[?1049h`);
    expect(viewer.text).not.toContain("main text");
    using other = await Viewer.attach(session.client, { ...FRESH, screens: "both" });
    await other.sees("main text");
  });

  test.each([
    ["is shown the main one when the program leaves it, below the user's lines", String.raw`\033[?1049lback\n`],
    ["also when the program goes there and back in one write", String.raw`\033[?1049lback\r\n\033[?1049h\033[?1049l\n`],
  ])("%s", async (_name, typed) => {
    await using worker = await WorkerUnderTest.start();
    await using session = await worker.run(["/bin/sh", "-c", OBEYS, "main text "]);
    await session.shows("ALTERNATE");
    using viewer = await Viewer.attach(session.client, FRESH);
    await viewer.sees("ALTERNATE");
    viewer.type(`${typed}\n`);
    await viewer.sees("back");
    const { screen, scrollback } = await shown(viewer);
    expect(screen).toEqual(["main text back"]);
    expect(scrollback).toEqual(LOCAL);
    expect(viewer.syncs.map(({ reason }) => reason)).toEqual(["attached", "screen_left"]);
    // From here on it is a viewer like any other.
    viewer.type(String.raw`\033[?1049hagain\033[?1049lend\n` + "\n");
    await viewer.sees("end");
    expect(viewer.syncs).toHaveLength(2);
  });

  test("keeps it when the next program enters it at once", async () => {
    await using worker = await WorkerUnderTest.start();
    await using session = await worker.run(["/bin/sh", "-c", OBEYS, "main text "]);
    await session.shows("ALTERNATE");
    using viewer = await Viewer.attach(session.client, FRESH);
    await viewer.sees("ALTERNATE");
    viewer.type(String.raw`\033[?1049lbetween\r\n\033[?1049h\033[2JNEXT` + "\n");
    await viewer.sees("NEXT");
    expect((await shown(viewer)).screen).toEqual(["NEXT"]);
    viewer.type(String.raw`\033[?1049lend` + "\n");
    await viewer.sees("end");
    const { screen, scrollback } = await shown(viewer);
    expect(screen).toEqual(["main text between", "end"]);
    expect(scrollback).toEqual(LOCAL);
  });

  test("is not given a main screen on which nothing was printed when the program ends", async () => {
    await using worker = await WorkerUnderTest.start();
    await using session = await worker.run([
      "/bin/sh",
      "-c",
      `${OBEYS.replace("done", String.raw`printf '\033[?1049l'; exit 0; done`)}`,
      "",
    ]);
    await session.shows("ALTERNATE");
    using viewer = await Viewer.attach(session.client, FRESH);
    await viewer.sees("ALTERNATE");
    viewer.type("x\n");
    expect(await viewer.closed).toBeUndefined();
    expect(viewer.exit).toMatchObject({ code: 0 });
    expect(viewer.syncs).toHaveLength(1);
    // What was printed with the end may be missing; the viewer leaves that screen anyway.
    expect((await shown(viewer)).screen.join("")).toStartWith("ALTERNATE");
  });

  test("is given an empty main screen when the program goes on there without a word", async () => {
    await using worker = await WorkerUnderTest.start();
    await using session = await worker.run(["/bin/sh", "-c", OBEYS, ""]);
    await session.shows("ALTERNATE");
    using viewer = await Viewer.attach(session.client, FRESH);
    await viewer.sees("ALTERNATE");
    viewer.type(String.raw`\033[?1049l` + "\n");
    await until("the main screen", () => viewer.syncs.length === 2);
    const { screen, scrollback } = await shown(viewer);
    expect({ screen, scrollback }).toEqual({ screen: [], scrollback: LOCAL });
  });
});
