import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { isAlive, programCommand, startHost, until } from "../support/index.ts";
import { CliTerminal, runCli, runJson } from "./support/index.ts";

const ESC = "\u001b";
/** Switches on what full-screen programs do, and stays. */
const SETS_MODES = [
  "/bin/sh",
  "-c",
  `printf '${"\\033"}[>1u\\033[?1000h\\033[?1006h\\033[?2004h\\033[?25l\\033[7mMODES-ARE-SET'; exec cat`,
];
/** Of a plain sh, for root and for others. */
const PROMPT = /^[#$]/m;
const SETTLED = ["?1000l", "?1006l", "?2004l"];

interface Named {
  readonly id: string;
}

/** What has to be in the bytes that give the terminal back, once each. */
function expectModesUndone(restoration: string): void {
  expect(restoration).toMatch(/\u001b\[<\d+u|\u001b\[=0u/);
  for (const mode of SETTLED) expect(restoration).toContain(`${ESC}[${mode}`);
  expect(restoration).toContain(`${ESC}[?25h`);
  expect(restoration).toContain(`${ESC}[0m`);
}

describe("attach", () => {
  test("shows a session, leaves it, and finds it again as it was", async () => {
    await using host = await startHost();
    const { id } = await host.newSession({ name: "api" });
    await using first = new CliTerminal(host.roots, ["attach", "api"]);
    await first.untilScreen(PROMPT);
    first.type("echo first-$((20+3))\r");
    await first.untilScreen("first-23");
    first.type("\u001d");
    expect(await first.exited).toBe(0);
    expect(first.output).toEndWith("[detached from api; back with: pohunek attach api]\r\n");
    expect(first.isRestored).toBe(true);
    await using second = new CliTerminal(host.roots, ["attach", "api"], { cols: 100, rows: 30 });
    await second.untilScreen("first-23");
    second.type("stty size\r");
    await second.untilScreen("30 100");
    second.resize(90, 20);
    // Sizes go beside the stream, so what is typed at once may arrive before them.
    await until("the new size", async () => (await host.inspect(id)).cols === 90);
    second.type("stty size\r");
    await second.untilScreen("20 90");
  });

  test("without a name shows the only session, and lists the candidates of several", async () => {
    await using host = await startHost();
    await using none = new CliTerminal(host.roots, ["attach"]);
    expect(await none.exited).toBe(1);
    await none.untilOutput("no session is running");
    await host.newSession({ name: "api" });
    await using only = new CliTerminal(host.roots, ["attach"]);
    await only.untilScreen(PROMPT);
    await host.newSession({ name: "web", cwd: "/" });
    await using several = new CliTerminal(host.roots, ["attach"], { env: { NO_COLOR: "1" }, cwd: "/usr" });
    expect(await several.exited).toBe(1);
    await several.untilOutput("(ambiguous_session_name)");
    expect(several.output).toMatch(/"api", \w+.*"web", \w+/);
    // The one of this directory is meant when there is exactly one.
    await using here = new CliTerminal(host.roots, ["attach"], { cwd: "/" });
    await here.untilScreen(PROMPT);
  });

  test("a paste of a megabyte arrives whole, and the detach key still works after it", async () => {
    await using host = await startHost();
    const line = "0123456789abcdef".repeat(6);
    const count = 10_000;
    const command = ["/bin/sh", "-c", "stty raw -echo; printf READY; head -c 970000 | sha256sum; exec cat"];
    await host.newSession({ name: "sink", command });
    await using terminal = new CliTerminal(host.roots, ["attach", "sink"]);
    await terminal.untilOutput("READY");
    const paste = Buffer.from(`${line}\r`.repeat(count));
    terminal.type(paste);
    const hash = new Bun.CryptoHasher("sha256").update(paste).digest("hex");
    await terminal.untilOutput(hash);
    terminal.type("\u001d");
    expect(await terminal.exited).toBe(0);
  });
});

test("C4: a session that never left its main screen: the prompt comes below its last line, and no screen is left", async () => {
  await using host = await startHost();
  await host.newSession({ name: "plain" });
  const before = Array.from({ length: 19 }, (_, row) => `local line ${row + 1}\r\n`).join("");
  await using terminal = new CliTerminal(host.roots, ["attach", "plain"], { before });
  await terminal.untilScreen(PROMPT);
  for (const shown of [/^([#$] ?\n){2}\n/, /^([#$] ?\n){3}\n/]) {
    terminal.type("\r");
    await terminal.untilScreen(shown);
  }
  terminal.type("\u001d");
  expect(await terminal.exited).toBe(0);
  expect(terminal.output).not.toMatch(/\u001b\[\?(?:1049|1047|47)l/);
  const rows = (await terminal.screen()).map((row) => row.trimEnd());
  expect(rows.slice(0, 3).join("")).toMatch(/^([#$]){3}$/);
  expect(rows[3]).toBe("[detached from plain; back with: pohunek attach plain]");
  expect([terminal.emulator.buffer.active.cursorY, terminal.emulator.buffer.active.cursorX]).toEqual([4, 0]);
  expect((await terminal.scrollback()).slice(0, 19)).toEqual(before.trimEnd().split("\r\n"));
});

test("C8: a cleared screen is in the scrollback, and history does not roll past: it comes in the frame of the screen", async () => {
  await using host = await startHost();
  const prints = `seq -f 'old line %g' 5000; seq -f 'line %g' 40; printf '\\033[H\\033[2J'; printf 'READY'; exec cat`;
  const { id } = await host.newSession({ name: "long", command: ["/bin/sh", "-c", prints] });
  const lines = async (): Promise<string[]> =>
    (await host.call<{ visible_lines: string[] }>("session.screen", { session_id: id })).visible_lines;
  await until("the screen", async () => (await lines())[0] === "READY");
  await using terminal = new CliTerminal(host.roots, ["attach", "long"]);
  await terminal.untilScreen("READY");
  expect((await terminal.screen())[0]).toBe("READY");
  const scrollback = (await terminal.scrollback()).filter((line) => line !== "");
  expect(scrollback.slice(-40)).toEqual(Array.from({ length: 40 }, (_, index) => `line ${index + 1}`));
  expect(scrollback.at(-41)).toBe("old line 5000");
  const [held, shown] = [`${ESC}[?2026h`, `${ESC}[?2026l`].map((mark) => terminal.output.indexOf(mark)) as [
    number,
    number,
  ];
  expect(terminal.output.slice(0, held)).not.toContain("line");
  expect(terminal.output.slice(held, shown)).toContain("READY");
});

describe("the local terminal is given back", () => {
  test("after the detach key", async () => {
    await using host = await startHost();
    await host.newSession({ name: "tui", command: SETS_MODES });
    await using terminal = new CliTerminal(host.roots, ["attach", "tui"]);
    const from = await terminal.untilOutput("MODES-ARE-SET");
    terminal.type(`${ESC}[93;5u`);
    expect(await terminal.exited).toBe(0);
    expectModesUndone(terminal.output.slice(from));
    expect(terminal.isRestored).toBe(true);
  });

  test("after a detach from elsewhere", async () => {
    await using host = await startHost();
    await host.newSession({ name: "tui", command: SETS_MODES });
    await using events = await host.subscribe();
    await using terminal = new CliTerminal(host.roots, ["attach", "tui"]);
    const from = await terminal.untilOutput("MODES-ARE-SET");
    const { stream_id: streamId } = await events.event(({ event }) => event === "attach_opened");
    await host.call("session.detach", { stream_id: streamId });
    expect(await terminal.exited).toBe(0);
    expectModesUndone(terminal.output.slice(from));
    expect(terminal.output).toContain("[detached from tui from elsewhere;");
  });

  test("after the session was stopped", async () => {
    await using host = await startHost();
    await host.newSession({ name: "tui", command: SETS_MODES });
    await using terminal = new CliTerminal(host.roots, ["attach", "tui"]);
    const from = await terminal.untilOutput("MODES-ARE-SET");
    expect((await runCli(host.roots, ["stop", "tui"])).code).toBe(0);
    await terminal.exited;
    expectModesUndone(terminal.output.slice(from));
    expect(terminal.output).toContain("[tui was stopped");
    expect(terminal.isRestored).toBe(true);
  });

  test("after the worker was killed", async () => {
    await using host = await startHost();
    const { id } = await host.newSession({ name: "tui", command: SETS_MODES });
    await using terminal = new CliTerminal(host.roots, ["attach", "tui"]);
    const from = await terminal.untilOutput("MODES-ARE-SET");
    process.kill(host.workerPid(id), "SIGKILL");
    expect(await terminal.exited).toBe(1);
    expectModesUndone(terminal.output.slice(from));
    expect(terminal.output).toContain("[tui is lost");
    expect(terminal.isRestored).toBe(true);
  });

  test("after the daemon was killed", async () => {
    await using host = await startHost();
    await host.newSession({ name: "tui", command: SETS_MODES });
    await using terminal = new CliTerminal(host.roots, ["attach", "tui"]);
    const from = await terminal.untilOutput("MODES-ARE-SET");
    await host.kill();
    // The session does not need the daemon, and neither does who looks at it.
    terminal.type("typed without a daemon\r");
    await terminal.untilOutput("typed without a daemon", from);
    terminal.type("\u001c\u001d");
    expect(await terminal.exited).toBe(0);
    expectModesUndone(terminal.output.slice(from));
    expect(terminal.isRestored).toBe(true);
  });
});

describe("a daemon that restarts", () => {
  test.each(["killed", "stopped"] as const)("%s: the attach goes on, with what was typed meanwhile", async (how) => {
    await using host = await startHost();
    const { pid } = await host.newSession({ name: "api" });
    await using terminal = new CliTerminal(host.roots, ["attach", "api"]);
    await terminal.untilScreen(PROMPT);
    terminal.type("X=kept\r");
    await terminal.untilScreen("X=kept");
    if (how === "killed") await host.kill();
    else await host.stop();
    terminal.type("echo $X-$((40+2))\r");
    await host.start();
    await terminal.untilScreen("kept-42");
    terminal.type("echo pid=$$\r");
    await terminal.untilScreen(`pid=${pid}`);
    terminal.resize(90, 20);
    await until("the new size", async () => (await host.list())[0]?.cols === 90);
    terminal.type("\u001d");
    expect(await terminal.exited).toBe(0);
    expect(terminal.isRestored).toBe(true);
  });

  test("a session that ended while it was away is told with its exit code", async () => {
    await using host = await startHost();
    const flag = join(host.roots.base, "flag");
    const command = ["/bin/sh", "-c", `printf GO; while [ ! -e ${flag} ]; do sleep 0.02; done; exit 5`];
    const { pid } = await host.newSession({ name: "job", command });
    await using terminal = new CliTerminal(host.roots, ["attach", "job"]);
    await terminal.untilOutput("GO");
    await host.kill();
    writeFileSync(flag, "");
    await until("the end of the program", () => !isAlive(pid));
    await host.start();
    expect(await terminal.exited).toBe(5);
    expect(terminal.output).toContain("[job failed with exit code 5]");
  });
});

describe("run", () => {
  test("starts the daemon and a command, shows it, and ends with its exit code", async () => {
    await using host = await startHost();
    await using terminal = new CliTerminal(host.roots, ["run", "sh", "-c", "echo out-$((1+1)); exit 7"]);
    expect(await terminal.exited).toBe(7);
    await terminal.untilScreen("out-2");
    expect(terminal.output).toEndWith("[sh failed with exit code 7]\r\n");
    expect(terminal.isRestored).toBe(true);
    expect((await host.list())[0]).toMatchObject({ name: "sh", state: "failed", exit_code: 7 });
  });

  test("gives each session a name of its own", async () => {
    await using host = await startHost();
    for (const name of ["true", "true-2"]) {
      await using terminal = new CliTerminal(host.roots, ["run", "--", "true"]);
      expect(await terminal.exited).toBe(0);
      expect(terminal.output).toContain(`[${name} ended with exit code 0]`);
    }
  });
});

describe("a session inside a session", () => {
  test("is not attached to itself, also not around a corner or without its variable", async () => {
    await using host = await startHost();
    await host.newSession({ name: "a" });
    await host.newSession({ name: "b" });
    await using terminal = new CliTerminal(host.roots, ["attach", "a"]);
    const program = programCommand().join(" ");
    await terminal.untilScreen(PROMPT);
    terminal.type(`NO_COLOR=1 ${program} attach a\r`);
    await terminal.untilScreen("(attach_self_feedback)");
    terminal.type("clear\r");
    terminal.type(`POHUNEK_SESSION_ID= NO_COLOR=1 ${program} attach a\r`);
    await terminal.untilScreen("(missing_env)");
    terminal.type("clear\r");
    await using events = await host.subscribe();
    terminal.type(`${program} attach --no-menu b\r`);
    await events.event(({ event }) => event === "attach_opened");
    terminal.type("echo in-$((0+0))-b\r");
    await terminal.untilScreen("in-0-b");
    terminal.type(`NO_COLOR=1 ${program} attach a\r`);
    await terminal.untilScreen("(attach_self_feedback)");
  });

  test("may be looked at, but not stopped, by a program in it", async () => {
    await using host = await startHost();
    await host.newSession({ name: "a" });
    await using terminal = new CliTerminal(host.roots, ["attach", "a"], { cols: 120 });
    const program = programCommand().join(" ");
    await terminal.untilScreen(PROMPT);
    terminal.type(`NO_COLOR=1 ${program} stop a\r`);
    await terminal.untilScreen("(plugin_self_target_denied)");
    terminal.type(`${program} ls -q | wc -l\r`);
    await terminal.untilScreen(/^1$/m);
  });
});

describe("the menu", () => {
  test("goes back to the session, with a whole picture", async () => {
    await using host = await startHost();
    await host.newSession({ name: "api" });
    await using terminal = new CliTerminal(host.roots, ["attach", "api"]);
    await terminal.untilScreen(PROMPT);
    terminal.type("echo one-$((1+1))\r");
    await terminal.untilScreen("one-2");
    terminal.type("\u001c");
    await terminal.untilScreen("d detach");
    terminal.type(ESC);
    await until("the menu to be gone", async () => !(await terminal.screen()).join("\n").includes("d detach"));
    await terminal.untilScreen("one-2");
    terminal.type("echo two-$((1+1))\r");
    await terminal.untilScreen("two-2");
  });

  test("detaches, renames, starts a new session, kills after a yes", async () => {
    await using host = await startHost();
    const { id } = await host.newSession({ name: "api" });
    await using terminal = new CliTerminal(host.roots, ["attach", "api"]);
    await terminal.untilScreen(PROMPT);
    terminal.type("\u001cr");
    await terminal.untilScreen("new name: api_");
    terminal.type(`${"\u007f".repeat(3)}web\r`);
    await until("the new name", async () => (await host.inspect(id)).name === "web");
    terminal.type("\u001cn");
    await until("a second session", async () => (await host.list()).length === 2);
    terminal.type("\u001ck");
    await terminal.untilScreen("kill this session? y / n");
    terminal.type("n");
    await terminal.untilScreen("d detach");
    terminal.type("ky");
    await terminal.exited;
    expect(terminal.output).toMatch(/\[home was stopped/);
    const states = (await host.list()).map(({ name, state }) => `${name}: ${state}`);
    expect(states.toSorted()).toEqual(["home: stopped", "web: running"]);
  });

  test("comes also while the daemon hangs, with what can be done then", async () => {
    await using host = await startHost();
    await host.newSession({ name: "api" });
    await using terminal = new CliTerminal(host.roots, ["attach", "api"]);
    await terminal.untilScreen(PROMPT);
    process.kill(host.daemonPid, "SIGSTOP");
    try {
      terminal.type("\u001c");
      await terminal.untilScreen("the daemon does not answer: d detach  z suspend  esc back");
      terminal.type("knrd");
      expect(await terminal.exited).toBe(0);
      expect(terminal.isRestored).toBe(true);
    } finally {
      process.kill(host.daemonPid, "SIGCONT");
    }
  });

  test("that can't come rings, and its keys do not reach the program", async () => {
    await using host = await startHost();
    await host.newSession({ name: "api", command: ["/bin/sh", "-c", "echo ready; exec cat"] });
    await using terminal = new CliTerminal(host.roots, ["attach", "api"]);
    await terminal.untilScreen("ready");
    // The client's own keys are known when the session's are.
    terminal.type("one\r");
    await terminal.untilOutput("one\r\none");
    await host.kill();
    terminal.type("\u001c");
    const rung = await terminal.untilOutput("\u0007");
    terminal.type("ky");
    // Until the keys count again: a letter is typed now and then, and the first that counts is shown.
    await until("keys to count again", () => {
      if (terminal.output.length > rung) return true;
      terminal.type("x");
      return false;
    });
    terminal.type("\r");
    await terminal.untilOutput("\r\n", rung);
    expect(terminal.output.slice(rung)).toMatch(/^x+\r\n/);
    await host.start();
  });

  test("outlives the daemon: going back waits for it, and the key that leaves is heard", async () => {
    await using host = await startHost();
    await host.newSession({ name: "api" });
    await using terminal = new CliTerminal(host.roots, ["attach", "api"]);
    await terminal.untilScreen(PROMPT);
    terminal.type("\u001c");
    await terminal.untilScreen("d detach");
    await host.kill();
    terminal.type("r");
    await terminal.untilScreen("new name: api_");
    terminal.type(ESC);
    await terminal.untilScreen("trying again");
    terminal.type("\u001d");
    expect(await terminal.exited).toBe(0);
    expect(terminal.output).toContain("[detached from api;");
    expect(terminal.isRestored).toBe(true);
  });

  test("sends its own key on", async () => {
    await using host = await startHost();
    await host.newSession({ name: "raw", command: ["/bin/sh", "-c", "stty raw -echo; printf READY; od -An -tx1 -v"] });
    await using terminal = new CliTerminal(host.roots, ["attach", "raw"]);
    await terminal.untilOutput("READY");
    terminal.type("\u001c");
    await terminal.untilScreen("d detach");
    const from = terminal.output.length;
    terminal.type("\u001c");
    await terminal.untilOutput("READY", from);
    terminal.type("a".repeat(31));
    await terminal.untilScreen("1c 61 61");
  });
});

test("C1 and C2 hold for JSON's friends too: nothing of an attach is left in the daemon", async () => {
  await using host = await startHost();
  await host.newSession({ name: "tui", command: SETS_MODES });
  for (let round = 0; round < 3; round += 1) {
    await using terminal = new CliTerminal(host.roots, ["attach", "tui"]);
    await terminal.untilOutput("MODES-ARE-SET");
    terminal.type("\u001d");
    expect(await terminal.exited).toBe(0);
  }
  const { ok } = await runJson<Named[]>(host.roots, ["ls"]);
  expect(ok).toHaveLength(1);
});
