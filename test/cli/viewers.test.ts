import { describe, expect, test } from "bun:test";
import { programCommand, startHost, until } from "../support/index.ts";
import { CliTerminal } from "./support/index.ts";

const PROMPT = /^[#$]/m;
/** 20 rows of 100 columns that tell where they are, the cursor below them; then what it is told to do. */
const GRID = [
  "/bin/sh",
  "-c",
  `stty -echo; for row in $(seq 10 29); do printf '%s:left%082d:right\\n' $row 0; done; while read -r x; do eval "$x"; done`,
];

describe("attach --view", () => {
  test("shows the part around the cursor, goes where the keys lead, and gives the terminal back", async () => {
    await using host = await startHost();
    const { id } = await host.newSession({ name: "grid", command: GRID, cols: 100, rows: 30 });
    await using viewer = new CliTerminal(host.roots, ["attach", "grid", "--view"], {
      cols: 40,
      rows: 10,
      before: "what was here\r\n",
    });
    await viewer.untilScreen(/^29:left0+$/m);
    expect((await viewer.screen())[8]).toMatch(/^29:left0{33}$/);
    viewer.type("\u001b[F");
    await viewer.untilScreen(/^0+:right$/m);
    viewer.type("g\u001b[H");
    await viewer.untilScreen(/^10:left0+$/m);
    viewer.type("f");
    await viewer.untilScreen(/^29:left0+$/m);
    viewer.type("t");
    await viewer.untilScreen(/^0+:right$/m);
    viewer.resize(60, 12);
    await viewer.untilScreen(/^29:left0{53}$/m);
    viewer.type("echo nobody-reads-this\r");
    expect(await host.inspect(id)).toMatchObject({ cols: 100, rows: 30 });
    viewer.type("q");
    expect(await viewer.exited).toBe(0);
    expect(viewer.isRestored).toBe(true);
    const left = (await viewer.screen()).join("\n");
    expect(left).toContain("what was here");
    expect(left).toContain("[detached from grid; back with: pohunek attach grid]");
    expect(left).not.toContain("29:left");
    const { visible_lines: lines } = await host.call<{ visible_lines: string[] }>("session.screen", { session_id: id });
    expect(lines.join("\n")).not.toContain("nobody-reads-this");
  });

  test("goes on when the daemon comes back, finds its layout again after the menu, and sees the end of the session", async () => {
    await using host = await startHost();
    const { id } = await host.newSession({ name: "grid", command: GRID, cols: 100, rows: 30 });
    await using viewer = new CliTerminal(host.roots, ["attach", "grid", "--view"], { cols: 40, rows: 10 });
    await viewer.untilScreen(/^29:left0+$/m);
    await host.kill();
    await host.start();
    viewer.type("t");
    await viewer.untilScreen(/^0+:right$/m);
    viewer.type("\u001c");
    await viewer.untilScreen("detach");
    viewer.type("\u001b");
    await viewer.untilScreen(/^0+:right$/m);
    await host.call("session.stop", id);
    expect(await viewer.exited).toBe(129);
    expect(viewer.output).toContain("[grid was stopped]");
    expect(viewer.isRestored).toBe(true);
  });
});

describe("attach --read-only", () => {
  test("shows what is printed, sends nothing, leaves the size alone, and keeps its own keys", async () => {
    await using host = await startHost();
    const { id } = await host.newSession({ name: "api" });
    await using writer = new CliTerminal(host.roots, ["attach", "api"], { cols: 90, rows: 30 });
    await writer.untilScreen(PROMPT);
    await using reader = new CliTerminal(host.roots, ["attach", "api", "--read-only"], { cols: 100, rows: 40 });
    await reader.untilScreen(PROMPT);
    reader.type("echo from-the-reader\r");
    writer.type("echo from-$((20+2))\r");
    await reader.untilScreen("from-22");
    expect(reader.output).not.toContain("from-the-reader");
    reader.resize(110, 41);
    writer.type("stty size\r");
    await reader.untilScreen("30 90");
    reader.type("\u001d");
    expect(await reader.exited).toBe(0);
    expect(reader.isRestored).toBe(true);
    await until("the size to stay", async () => (await host.inspect(id)).cols === 90);
  });
});

describe("two terminals of different sizes", () => {
  test("each show the session at their own, whoever owns the size, and are given back", async () => {
    await using host = await startHost();
    await host.newSession({ name: "api" });
    await using wide = new CliTerminal(host.roots, ["attach", "api"], { cols: 120, rows: 20 });
    await wide.untilScreen(PROMPT);
    wide.type("PS1='> '; echo wide-$((1+1))\r");
    await wide.untilScreen("wide-2");
    await using tall = new CliTerminal(host.roots, ["attach", "api"], { cols: 60, rows: 40 });
    await tall.untilScreen("wide-2");
    tall.type("printf '%070d|\\n' 7; stty size\r");
    await tall.untilScreen(/^40 60$/m);
    expect(await wide.untilScreen(/^40 60$/m)).toContain("0".repeat(60));
    wide.type("stty size\r");
    await wide.untilScreen(/^20 120$/m);
    await tall.untilScreen(/^20 120$/m);
    expect(await wide.untilScreen(/^0{69}7\|$/m)).not.toContain("0".repeat(60));
    tall.type("\u001d");
    expect(await tall.exited).toBe(0);
    expect(tall.isRestored).toBe(true);
    await tall.untilScreen("[detached from api");
    expect(tall.emulator.buffer.active.type).toBe("normal");
    wide.type("echo still-$((1+2))\r");
    await wide.untilScreen("still-3");
    wide.type("\u001d");
    expect(await wide.exited).toBe(0);
    expect(wide.isRestored).toBe(true);
  });
});

describe("a terminal of an impossible size", () => {
  test.each([
    { cols: 0, rows: 0 },
    { cols: 2, rows: 1 },
    { cols: 65_535, rows: 65_535 },
  ])("of $cols x $rows changes no session, and new ones begin with the default", async ({ cols, rows }) => {
    await using host = await startHost();
    const { id } = await host.newSession({ name: "api", cols: 100, rows: 30 });
    // The size of the terminal that the command has, which need not be that of the emulator.
    const odd = (words: string): readonly string[] => [
      "/bin/sh",
      "-c",
      `stty cols ${cols} rows ${rows}; exec ${words}`,
    ];
    const pohunek = programCommand().join(" ");
    await using viewer = new CliTerminal(host.roots, [], { program: odd(`${pohunek} attach api`) });
    await viewer.untilOutput("\u001b[");
    viewer.type("stty size\r");
    await viewer.untilOutput("30 100");
    expect(await host.inspect(id)).toMatchObject({ cols: 100, rows: 30 });
    await using started = new CliTerminal(host.roots, [], { program: odd(`${pohunek} run --name new -- /bin/sh`) });
    await until("the session", async () => (await host.list()).find(({ name }) => name === "new"));
    started.type("stty size\r");
    await started.untilOutput("24 80");
  });
});
