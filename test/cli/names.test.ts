import { describe, expect, test } from "bun:test";
import { startHost, TempRoots } from "../support/index.ts";
import { CliTerminal, runCli, runJson, sampleSession, standInDaemon } from "./support/index.ts";

interface Named {
  readonly id: string;
  readonly name?: string;
  readonly state: string;
}

const IDLE = ["--", "sleep", "1000"];

describe("a session's name", () => {
  test("that a target could not spell, or that nobody could read, is refused where it is given", async () => {
    await using host = await startHost();
    await host.newSession({ name: "api" });
    const wrong = [
      "a/b",
      "",
      "  ",
      "x".repeat(129),
      "a\u001bb",
      "evil\u202egnp",
      "zero\u200bwidth",
      `s-${"0".repeat(26)}`,
    ];
    for (const name of wrong) {
      for (const words of [
        ["new", "--name", name, ...IDLE],
        ["rename", "api", name],
        ["fork", "api", "--name", name],
      ]) {
        const { code, err } = await runJson(host.roots, words);
        expect({ words, code, error: err.code }).toEqual({ words, code: 2, error: "cli_usage" });
        expect(err.msg).toStartWith("a session's name must ");
      }
    }
    await using terminal = new CliTerminal(host.roots, ["run", "--name", "a/b", ...IDLE], { env: { NO_COLOR: "1" } });
    expect(await terminal.exited).toBe(2);
    await terminal.untilOutput('must not contain "/"');
    expect(await host.list()).toHaveLength(1);
  });

  test("is one running session's alone, and free again when that has ended", async () => {
    await using host = await startHost();
    const { ok: first } = await runJson<Named>(host.roots, ["new", "--name", " api ", ...IDLE]);
    expect(first.name).toBe("api");
    await runCli(host.roots, ["new", "--name", "web", ...IDLE]);
    for (const words of [
      ["new", "--name", "api", ...IDLE],
      ["rename", "web", "api"],
    ]) {
      const { code, err } = await runJson(host.roots, words);
      expect({ words, code, error: err.code }).toEqual({ words, code: 1, error: "session_name_taken" });
      expect(err.msg).toContain('"api"');
    }
    // To itself it may always be given.
    expect((await runCli(host.roots, ["rename", "api", "api"])).code).toBe(0);
    await runCli(host.roots, ["stop", "api"]);
    const { ok: second } = await runJson<Named>(host.roots, ["new", "--name", "api", ...IDLE]);
    expect(second.name).toBe("api");
  });

  test("is made from the command, else from the directory", async () => {
    await using host = await startHost();
    const started = async (...words: string[]): Promise<string> => (await runCli(host.roots, ["new", ...words])).stdout;
    expect(await started(...IDLE)).toBe("started sleep\n");
    expect(await started(...IDLE)).toBe("started sleep-2\n");
    expect(await started()).toBe("started home\n");
    expect(await started("--cwd", "/usr/lib")).toBe("started lib\n");
    // As a shell hands it over when it is quoted: the home of the host where it starts.
    expect((await runJson<{ cwd: string }>(host.roots, ["new", "--cwd", "~"], { cwd: "/" })).ok.cwd).toBe(
      host.roots.home,
    );
  });

  test("from another program is shown without marks that reorder text, the same everywhere, and found as shown", async () => {
    await using host = await startHost();
    const { id } = await host.newSession({ name: "a\u202eb\u2066c\u061cd" });
    await host.newSession({ name: "other/host" });
    const shown = [
      await runCli(host.roots, ["ls"]),
      await runCli(host.roots, ["inspect", "abcd"]),
      await runCli(host.roots, ["complete", "sessions"]),
      await runCli(host.roots, ["stop", "abcd"]),
    ];
    for (const { code, stdout } of shown) {
      expect(code).toBe(0);
      expect(stdout).toContain("abcd");
      expect(stdout).not.toMatch(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/);
    }
    expect((await runJson<Named>(host.roots, ["inspect", id])).ok.name).toBe("a\u202eb\u2066c\u061cd");
  });
});

describe("a daemon of a release that does not look for names", () => {
  // It says nothing of what a session was started as.
  const mine = sampleSession({ id: "s-01KB0000000000000000000001", name: "api" });
  const other = sampleSession({ id: "s-01KB0000000000000000000002", name: "api" });
  const handlers = { "session.new": () => mine, "session.rename": () => ({ session: mine }) };

  test.each([[["new", "--name", "api"]], [["rename", "s-01KB0000000000000000000001", "api"]]])(
    "has %p tell that two sessions have one name",
    async (words) => {
      using roots = new TempRoots();
      await using _daemon = await standInDaemon(roots, {
        handlers: { ...handlers, "session.list": () => [mine, other] },
      });
      const { code, stderr } = await runCli(roots, words);
      expect(code).toBe(0);
      expect(stderr).toContain('Two running sessions are called "api" now: the daemon is of an older release');
      expect(stderr).toContain(
        "next: pohunek rename s-01KB0000000000000000000001 another-name, or pohunek daemon restart",
      );
    },
  );

  test("tells nothing where the name is one session's alone", async () => {
    using roots = new TempRoots();
    const ended = { ...other, state: "stopped" };
    await using _daemon = await standInDaemon(roots, {
      handlers: { ...handlers, "session.list": () => [mine, ended] },
    });
    expect((await runCli(roots, ["new", "--name", "api"])).stderr).toBe("");
  });
});

test("an empty directory is no directory", async () => {
  await using host = await startHost();
  for (const words of [
    ["new", "--cwd", ""],
    ["new", "--repo", "", "--branch", "main"],
  ]) {
    const { code, err } = await runJson(host.roots, words);
    expect({ code, error: err.code, msg: err.msg }).toEqual({
      code: 2,
      error: "cli_usage",
      msg: "an empty text names no directory",
    });
  }
  expect(await host.list()).toEqual([]);
});

describe("a program that is not there", () => {
  test("but is a directory is called one, with the way to a shell in it", async () => {
    await using host = await startHost();
    const { code, stderr } = await runCli(host.roots, ["new", "--", "/usr/lib"]);
    expect(code).toBe(1);
    expect(stderr).toContain('"/usr/lib" could not be started: The program is a directory (spawn_failed)');
    expect(stderr).toContain("next: Name a program. Your shell is started there by: pohunek new --cwd /usr/lib");
    expect(await host.list()).toEqual([]);
  });

  test.each([[["new", "--", "no-such-program"]], [["new", "--", "/no/such/program", "with", "words"]]])(
    "%p is named",
    async (words) => {
      await using host = await startHost();
      const { code, stderr } = await runCli(host.roots, words);
      expect(code).toBe(1);
      expect(stderr).toContain(`"${words[2]}" could not be started: The program was not found (spawn_failed)`);
      expect(stderr).toContain("next: Check its name.");
    },
  );
});
