import { describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { commandLineOf, isAlive, processesMentioning, startHost, TempRoots, until } from "../support/index.ts";
import { CliTerminal, runCli, runJson } from "./support/index.ts";

/** Ends what `up` and its like have started below these folders, and checks that nothing is left. */
class Started implements AsyncDisposable {
  readonly roots = new TempRoots();

  async [Symbol.asyncDispose](): Promise<void> {
    const mine = (): number[] => processesMentioning(this.roots.base);
    for (const pid of mine()) {
      try {
        process.kill(pid, "SIGTERM");
      } catch {
        // ESRCH: ended meanwhile, by the daemon's own end.
      }
    }
    await until("all processes to end", () => mine().length === 0);
    this.roots[Symbol.dispose]();
  }
}

interface UpDocument {
  readonly started: boolean;
  readonly session: { readonly id: string; readonly name: string; readonly cwd: string };
}

describe("up", () => {
  test("starts the daemon and a session here, says how to use them, and starts nothing twice", async () => {
    await using started = new Started();
    const { roots } = started;
    const cwd = join(roots.base, "my project");
    mkdirSync(cwd);
    const first = await runCli(roots, ["up"], { cwd });
    expect({ code: first.code, stderr: first.stderr }).toEqual({ code: 0, stderr: "" });
    expect(first.stdout).toContain('Started "my project" in ');
    for (const part of ["pohunek attach 'my project'", "Ctrl-]", "pohunek stop 'my project'", "pohunek ls"]) {
      expect(first.stdout).toContain(part);
    }
    const second = await runCli(roots, ["up"], { cwd });
    expect(second.stdout).toContain('"my project" already runs in ');
    const { ok } = await runJson<UpDocument>(roots, ["up"], { cwd });
    expect(ok).toMatchObject({ started: false, session: { name: "my project", cwd } });
    const elsewhere = await runJson<UpDocument>(roots, ["up"], { cwd: roots.home });
    expect(elsewhere.ok).toMatchObject({ started: true, session: { name: "home" } });
    expect((await runJson<unknown[]>(roots, ["ls"])).ok).toHaveLength(2);
  });

  test("run many times at once still has one session, which is its own and not another's in the same directory", async () => {
    await using started = new Started();
    const { roots } = started;
    const cwd = join(roots.base, "shared");
    mkdirSync(cwd);
    expect((await runCli(roots, ["new", "-n", "builder", "--", "sleep", "1000"], { cwd })).code).toBe(0);
    const ups = await Promise.all(Array.from({ length: 8 }, () => runJson<UpDocument>(roots, ["up"], { cwd })));
    expect(ups.filter(({ ok }) => ok.started)).toHaveLength(1);
    expect(new Set(ups.map(({ ok }) => ok.session.id)).size).toBe(1);
    expect(ups[0]?.ok.session.name).toBe("shared");
    // The shell's directory follows what is typed; what it was opened for stays.
    await runCli(roots, ["send", "shared", "cd /"]);
    const moved = async (): Promise<boolean> =>
      (await runJson<UpDocument["session"]>(roots, ["session", "inspect", "shared"])).ok.cwd === "/";
    await until("the shell to have moved", moved);
    expect((await runJson<UpDocument>(roots, ["up"], { cwd })).ok.started).toBe(false);
  });

  test("opens nothing beside a shell that a person has started here, from the menu as well, and something beside a command", async () => {
    await using started = new Started();
    const { roots } = started;
    const cwd = join(roots.base, "work");
    mkdirSync(cwd);
    const up = async (): Promise<UpDocument> => (await runJson<UpDocument>(roots, ["up"], { cwd })).ok;
    expect((await runCli(roots, ["new", "-n", "builder", "--", "sleep", "1000"], { cwd })).code).toBe(0);
    await using terminal = new CliTerminal(roots, ["attach", "builder"], { cwd });
    await terminal.untilOutput("\u001b[?25h");
    terminal.type("\u001c");
    await terminal.untilScreen("n new");
    terminal.type("n");
    await terminal.untilScreen(/[#$]/);
    expect(await up()).toMatchObject({ started: false, session: { name: "work" } });
    terminal.type("cd /; exit\r");
    await terminal.exited;
    expect(await up()).toMatchObject({ started: true, session: { name: "work-2" } });
    await runCli(roots, ["rm", "work-2"]);
    await runCli(roots, ["new", "-n", "mine"], { cwd });
    expect(await up()).toMatchObject({ started: false, session: { name: "mine" } });
  });

  test("--attach shows the session at once", async () => {
    await using started = new Started();
    await using terminal = new CliTerminal(started.roots, ["up", "--attach"]);
    await terminal.untilScreen(/[#$]/);
    terminal.type("echo up-$((3+4))\r");
    await terminal.untilScreen("up-7");
    terminal.type("\u001d");
    expect(await terminal.exited).toBe(0);
    expect(terminal.output).toContain("[detached from home;");
  });

  test("several at the same time end with one daemon", async () => {
    await using started = new Started();
    const starts = Array.from({ length: 10 }, () => runCli(started.roots, ["daemon", "start", "--detach"]));
    const results = await Promise.all(starts);
    expect(results.filter(({ code }) => code !== 0)).toEqual([]);
    // Those that came too late end by themselves.
    const daemons = (): number[] =>
      processesMentioning(started.roots.base).filter((pid) => commandLineOf(pid).startsWith("pohunekd"));
    await until("one daemon", () => daemons().length === 1);
    expect((await runCli(started.roots, ["health"])).code).toBe(0);
  });

  test("works without XDG_RUNTIME_DIR, in a private folder of its own", async () => {
    await using started = new Started();
    const { roots } = started;
    const { XDG_RUNTIME_DIR: _unset, ...env } = roots.environment();
    const { programCommand } = await import("../support/index.ts");
    const run = async (...words: string[]) => {
      const child = Bun.spawn(programCommand(...words), { env, cwd: roots.home, stdout: "pipe", stderr: "pipe" });
      return { code: await child.exited, stdout: await child.stdout.text(), stderr: await child.stderr.text() };
    };
    const up = await run("up");
    expect({ code: up.code, stderr: up.stderr }).toEqual({ code: 0, stderr: "" });
    expect((await run("ls", "-q")).stdout).toMatch(/^s-\w{26}\n$/);
    const { stdout } = await run("status");
    const socket = /^socket +(\S+)$/m.exec(stdout)?.[1] ?? "";
    expect(socket).toStartWith(socket.startsWith("/run/user/") ? "/run/user/" : join(roots.state, "run"));
  });
});

describe("a daemon that cannot start", () => {
  test("is told with what it said", async () => {
    using roots = new TempRoots();
    mkdirSync(roots.config, { recursive: true });
    writeFileSync(join(roots.config, "config.toml"), "[log]\nlevel = 5\n");
    const { code, err } = await runJson(roots, ["up"]);
    expect({ code, error: err.code, recover: err.recover }).toEqual({
      code: 1,
      error: "daemon_spawn_failed",
      recover: "Mend config.toml; docs/config.md lists its keys.",
    });
    expect(err.msg).toContain("log.level");
    expect(err.msg).toMatch(/^the daemon did not start: (?!pohunekd)[^()]+/);
    expect(err.msg).not.toMatch(/\([a-z_]+\)$/m);
    expect(readdirSync(roots.runtime).filter((name) => name.endsWith(".log"))).toEqual([]);
  });

  test("in a runtime folder that cannot be written is told, too", async () => {
    using roots = new TempRoots();
    const runtime = join(roots.base, "r");
    writeFileSync(join(runtime, "pohunek"), "");
    const { code, err } = await runJson(roots, ["daemon", "start", "--detach"]);
    expect({ code, error: err.code }).toEqual({ code: 1, error: "daemon_spawn_failed" });
    expect(err.msg).toContain(join(runtime, "pohunek"));
  });
});

describe("daemon", () => {
  test("start, stop and restart leave the sessions alone", async () => {
    await using started = new Started();
    const { roots } = started;
    expect((await runCli(roots, ["daemon", "start", "--detach"])).stdout).toBe("the daemon runs now: 0.1.0\n");
    expect((await runCli(roots, ["daemon", "start", "--detach"])).stdout).toBe("the daemon runs already: 0.1.0\n");
    const { ok: session } = await runJson<{ id: string; pid: number }>(roots, ["new", "--", "/bin/sh"]);
    const { ok: stopped } = await runJson<{ pid: number }>(roots, ["daemon", "stop"]);
    expect(isAlive(stopped.pid)).toBe(false);
    expect(isAlive(session.pid)).toBe(true);
    expect((await runCli(roots, ["health"])).code).toBe(1);
    // Not "no sessions": they only cannot be listed now.
    expect(await runCli(roots, ["ls"])).toMatchObject({ code: 1, stdout: "" });
    expect((await runCli(roots, ["daemon", "restart"])).stdout).toBe("the daemon runs again: 0.1.0\n");
    expect((await runCli(roots, ["daemon", "restart"])).code).toBe(0);
    const { ok: after } = await runJson<{ pid: number; state: string }>(roots, ["inspect", session.id]);
    expect(after).toMatchObject({ pid: session.pid, state: "running" });
  });

  test("start without --detach stays here until Ctrl-C", async () => {
    await using started = new Started();
    await using terminal = new CliTerminal(started.roots, ["daemon", "start"]);
    await until("the daemon to serve", async () => (await runCli(started.roots, ["health"])).code === 0);
    terminal.type("\u0003");
    expect(await terminal.exited).toBe(0);
    expect((await runCli(started.roots, ["health"])).code).toBe(1);
  });

  test("the doctor names what is open to others", async () => {
    await using host = await startHost();
    chmodSync(host.roots.runtime, 0o755);
    const { code, ok } = await runJson<{ checks: { name: string; status: string; detail: string }[] }>(host.roots, [
      "doctor",
    ]);
    expect(code).toBe(1);
    const socket = ok.checks.find(({ name }) => name === "socket");
    expect(socket).toEqual({
      name: "socket",
      status: "fail",
      detail: "its directory is open to other users; mode 0700 is right",
    });
    chmodSync(host.roots.runtime, 0o700);
  });
});
