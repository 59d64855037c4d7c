import { describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { programCommand, TempRoots } from "../support/index.ts";
import { CliTerminal, runCli, runJson } from "./support/index.ts";

describe("without a daemon", () => {
  test("the list is empty, and says how to begin", async () => {
    using roots = new TempRoots();
    const { code, stdout, stderr } = await runCli(roots, ["ls"]);
    expect(code).toBe(0);
    expect(stdout).toBe("No sessions. Start one: pohunek run\n");
    expect(stderr).toContain("The daemon is not running");
  });

  test.each([
    [["ls"]],
    [["health"]],
    [["status"]],
    [["stop", "api"]],
    [["subscribe"]],
    [["host", "list"]],
    [["daemon", "stop"]],
  ])("%p fails with one document and the next step", async (words) => {
    using roots = new TempRoots();
    const { code, err } = await runJson(roots, words);
    expect({ code, error: err.code, class: err.class }).toEqual({
      code: 1,
      error: "daemon_unreachable",
      class: "daemon",
    });
    expect(err.recover).toBe("pohunek daemon start --detach");
  });

  test("the doctor works all the same", async () => {
    using roots = new TempRoots();
    const { code, ok } = await runJson<{ overall: string; checks: { name: string; status: string }[] }>(roots, [
      "doctor",
    ]);
    expect({ code, overall: ok.overall }).toEqual({ code: 0, overall: "warn" });
    expect(ok.checks.map(({ name, status }) => `${name}: ${status}`)).toEqual([
      "pohunek: ok",
      "runtime directory: ok",
      "socket: warn",
      "state directory: ok",
      "configuration directory: ok",
      "shell: ok",
      "terminal: ok",
      "attach keys: ok",
      "daemon: warn",
    ]);
  });
});

describe("usage errors", () => {
  test.each([
    [["frobnicate"]],
    [["stop"]],
    [["ls", "--nope"]],
    [["session"]],
    [["new", "--cols", "many"]],
    [["send", "api"]],
    [["wait", "api", "--for", "tea"]],
    [["ls", "--filter", "colour=blue"]],
    [["resize", "api", "--cols", "80"]],
    [["attach", "api", "--view", "--read-only"]],
    [["rename", "api"]],
    [["metadata", "api"]],
    [["session", "wait", "api", "--timeout-ms", "5"]],
    [["session", "output", "api", "--after-offset", "0"]],
    [["completions", "tcsh"]],
    [["a/b/c", "x"]],
    [["stop", "a/b/c"]],
  ])("%p ends with 2, in words and as JSON", async (words) => {
    using roots = new TempRoots();
    const { code, stdout, stderr } = await runCli(roots, words);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/^pohunek: .+ \(cli_usage\)\n {2}next: .+\n$/);
    const document = await runJson(roots, words);
    expect({ code: document.code, error: document.err.code }).toEqual({ code: 2, error: "cli_usage" });
  });

  test("are told in words when --json stands behind `--`", async () => {
    using roots = new TempRoots();
    const { code, stdout, stderr } = await runCli(roots, ["stop", "--", "a", "--json"]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain("(cli_usage)");
  });

  test.each([[["attach"]], [["run", "true"]], [["up", "--attach"]]])("%p needs a terminal", async (words) => {
    using roots = new TempRoots();
    const { code, stderr } = await runCli(roots, words);
    expect(code).toBe(2);
    expect(stderr).toContain("needs a terminal");
  });
});

describe("hosts", () => {
  test.each([
    [["--host", "box", "ls"]],
    [["stop", "box/api"]],
    [["host", "inspect", "box"]],
    [["attach", "box/api"]],
    [["--host", "box", "doctor"]],
    [["--host", "box", "new", "--yes"]],
  ])("%p is told not to be reachable, by its name, and nothing local is asked", async (words) => {
    using roots = new TempRoots();
    await using terminal = new CliTerminal(roots, words, { env: { NO_COLOR: "1" } });
    expect(await terminal.exited).toBe(1);
    await terminal.untilOutput("pohunek: box: ");
    expect(terminal.output).toContain("(host_unknown)");
  });

  test("a start on another host needs a yes", async () => {
    using roots = new TempRoots();
    const { code, err } = await runJson(roots, ["--host", "box", "new"]);
    expect({ code, error: err.code, recover: err.recover }).toEqual({
      code: 1,
      error: "confirmation_required",
      recover: "Pass --yes.",
    });
    await using terminal = new CliTerminal(roots, ["--host", "box", "new"]);
    await terminal.untilOutput("[y/N]");
    terminal.type("n\r");
    expect(await terminal.exited).toBe(1);
    await terminal.untilOutput("(confirmation_declined)");
  });
});

describe("surroundings that do not fit", () => {
  interface Checks {
    readonly checks: readonly { readonly name: string; readonly status: string; readonly detail: string }[];
  }
  /** 45 bytes leave room for the sockets below. */
  const runtimeOf = (roots: TempRoots, bytes: number): string => {
    const runtime = join(roots.base, "x".repeat(bytes - roots.base.length - 1));
    mkdirSync(runtime, { mode: 0o700 });
    return runtime;
  };

  test.each([46, 50, 83, 95])(
    "a runtime directory of %i bytes is refused everywhere in one sentence",
    async (bytes) => {
      using roots = new TempRoots();
      const runtime = runtimeOf(roots, bytes);
      const env = { XDG_RUNTIME_DIR: runtime };
      const sentence = new RegExp(
        `^the socket path ${runtime}/\\S+ has ${bytes + 58} bytes, but a socket path may have 103$`,
      );
      for (const words of [["ls"], ["up"], ["new", "--", "cat"]]) {
        const { code, err } = await runJson(roots, words, { env });
        expect({ code, error: err.code }).toEqual({ code: 1, error: "paths_unavailable" });
        expect(err.msg).toMatch(sentence);
        expect(err.recover).toBe("Set XDG_RUNTIME_DIR to a path of at most 45 bytes.");
      }
      const { code, ok } = await runJson<Checks>(roots, ["doctor"], { env });
      expect(code).toBe(1);
      const faults = ok.checks.filter(({ status }) => status === "fail");
      expect(faults.map(({ name }) => name)).toEqual(["runtime directory", "daemon"]);
      expect(faults[0]?.detail).toMatch(sentence);
      expect(readdirSync(runtime)).toEqual([]);
    },
  );

  test("one of 45 bytes is fine, for the doctor and for sessions", async () => {
    using roots = new TempRoots();
    const env = { XDG_RUNTIME_DIR: runtimeOf(roots, 45) };
    const { code, ok } = await runJson<Checks>(roots, ["doctor"], { env });
    const runtime = ok.checks.find(({ name }) => name === "runtime directory");
    expect({ code, status: runtime?.status }).toEqual({ code: 0, status: "ok" });
    expect((await runJson(roots, ["daemon", "start", "--detach"], { env })).code).toBe(0);
    try {
      expect((await runJson(roots, ["session", "new", "--name", "one", "--", "cat"], { env })).code).toBe(0);
      expect((await runJson(roots, ["rm", "one"], { env })).code).toBe(0);
    } finally {
      await runJson(roots, ["daemon", "stop"], { env });
    }
  });

  test.each([
    ["relative/path", "no absolute path"],
    ["", "no absolute path"],
    ["/nonexistent/runtime", "does not exist"],
    ["/etc/passwd", "no directory"],
  ])("XDG_RUNTIME_DIR=%p is refused", async (path, says) => {
    using roots = new TempRoots();
    const { code, err } = await runJson(roots, ["ls"], { env: { XDG_RUNTIME_DIR: path } });
    expect({ code, error: err.code }).toEqual({ code: 1, error: "paths_unavailable" });
    expect(err.msg).toContain(says);
  });

  test.each<[Record<string, string>]>([
    [{ POHUNEK_SESSION_ID: "s-1" }],
    [{ POHUNEK_DAEMON_ID: "d-1" }],
    [{ POHUNEK_SESSION_ID: "", POHUNEK_DAEMON_ID: "d-1" }],
  ])("half an origin is refused: %p", async (env) => {
    using roots = new TempRoots();
    const { code, err } = await runJson(roots, ["ls"], { env });
    expect({ code, error: err.code }).toEqual({ code: 1, error: "missing_env" });
  });

  test("output that nobody reads is no failure to talk about", async () => {
    using roots = new TempRoots();
    const words = ["sh", "-c", 'exec 3>&1; { "$@" 2>&3; echo "code $?" >&3; } | true', "sh"];
    const child = Bun.spawn([...words, ...programCommand("help")], { env: roots.environment(), stdout: "pipe" });
    expect(await child.stdout.text()).toMatch(/^code (141|0)\n$/);
  });

  test.each([[["--help"]], [["ls", "--nope", "--json"]]])(
    "a full disk below the output fails plainly: %p",
    async (words) => {
      using roots = new TempRoots();
      const child = Bun.spawn(programCommand(...words), {
        env: roots.environment(),
        stdout: Bun.file("/dev/full"),
        stderr: "pipe",
      });
      const isJson = words.includes("--json");
      expect(await child.exited).toBe(isJson ? 2 : 1);
      expect(await child.stderr.text()).toBe(
        isJson ? "" : "pohunek: the output cannot be written (ENOSPC) (io_error)\n",
      );
    },
  );
});

describe("help", () => {
  test("lists every command once, and knows each of them", async () => {
    using roots = new TempRoots();
    const { ok } = await runJson<{ name: string; aliases: string[] }[]>(roots, ["help"]);
    expect(ok.length).toBeGreaterThan(30);
    const { stdout } = await runCli(roots, []);
    const pages = [
      stdout,
      ...(await Promise.all(ok.map(({ name }) => runCli(roots, ["help", name])))).map((one) => one.stdout),
    ];
    for (const line of pages.join("").split("\n")) expect(line.length).toBeLessThanOrEqual(80);
    for (const { name } of ok.slice(0, 6)) {
      const byFlag = await runCli(roots, [...name.split(" "), "--help"]);
      const byCommand = await runCli(roots, ["help", ...name.split(" ")]);
      expect(byFlag).toEqual(byCommand);
      expect(byFlag.stdout).toContain("Usage: pohunek ");
    }
  });

  test.each([
    [["--json", "--version"], { version: "0.1.0" }],
    [["ls", "--version", "--json"], { version: "0.1.0" }],
    [["stop", "--help", "--json"], { name: "session stop", aliases: ["stop"] }],
    [["help", "stop", "--json"], { name: "session stop", aliases: ["stop"] }],
  ])("%p is one document", async (words, document) => {
    using roots = new TempRoots();
    const { code, ok } = await runJson<object>(roots, words);
    expect({ code, ok }).toMatchObject({ code: 0, ok: document });
  });

  test("prints the version", async () => {
    using roots = new TempRoots();
    expect(await runCli(roots, ["--version"])).toEqual({ code: 0, stdout: "pohunek 0.1.0\n", stderr: "" });
  });
});
