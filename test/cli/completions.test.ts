import { describe, expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Host } from "../support/index.ts";
import { programCommand, startHost, TempRoots } from "../support/index.ts";
import { CliTerminal, runCli, runJson } from "./support/index.ts";

/** A folder for PATH in which `pohunek` is the program under test. */
function programFolder(roots: TempRoots): string {
  const folder = join(roots.base, "bin");
  mkdirSync(folder, { recursive: true });
  const path = join(folder, "pohunek");
  writeFileSync(
    path,
    `#!/bin/sh\nexec ${programCommand()
      .map((word) => `'${word}'`)
      .join(" ")} "$@"\n`,
    { mode: 0o755 },
  );
  return folder;
}

async function shell(roots: TempRoots, command: readonly string[]): Promise<string> {
  const child = Bun.spawn([...command], {
    env: roots.environment({ PATH: `${programFolder(roots)}:${process.env["PATH"]}` }),
    cwd: roots.home,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, errors] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  expect({ errors, code: await child.exited }).toEqual({ errors: "", code: 0 });
  return out;
}

/** What bash offers for the last of these words. */
async function completeInBash(roots: TempRoots, words: readonly string[], flags = "--dynamic"): Promise<string[]> {
  const quoted = words.map((word) => `'${word}'`).join(" ");
  const script = `source <(pohunek completions bash ${flags}); COMP_WORDS=(${quoted}); COMP_CWORD=${words.length - 1}; _pohunek; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return (await shell(roots, ["bash", "-c", script])).trimEnd().split("\n");
}

async function twoSessions(): Promise<Host> {
  const host = await startHost();
  await host.newSession({ name: "api" });
  await host.newSession({ name: "my web" });
  return host;
}

describe("in bash", () => {
  test("commands, flags, choices and the names of sessions are completed", async () => {
    await using host = await twoSessions();
    const { roots } = host;
    expect(await completeInBash(roots, ["pohunek", "at"])).toEqual(["attach"]);
    expect(await completeInBash(roots, ["pohunek", "session", "res"])).toEqual(["resize", "resume"]);
    expect(await completeInBash(roots, ["pohunek", "daemon", ""])).toEqual(["restart", "start", "stop"]);
    expect(await completeInBash(roots, ["pohunek", "ls", "--w"])).toEqual(["--watch"]);
    expect(await completeInBash(roots, ["pohunek", "completions", "z"])).toEqual(["zsh"]);
    expect(await completeInBash(roots, ["pohunek", "attach", ""])).toEqual(["api", "my\\ web"]);
    expect(await completeInBash(roots, ["pohunek", "session", "stop", "my"])).toEqual(["my\\ web"]);
    expect(await completeInBash(roots, ["pohunek", "stop", "api", ""])).toEqual([""]);
    expect(await completeInBash(roots, ["pohunek", "new", "--agent", ""])).toContain("shell");
    expect(await completeInBash(roots, ["pohunek", "new", "--agent", ""], "")).toEqual([""]);
    expect(await completeInBash(roots, ["pohunek", "attach", ""], "")).toEqual([""]);
  });

  test("a daemon that does not run is no error", async () => {
    using roots = new TempRoots();
    expect(await completeInBash(roots, ["pohunek", "attach", ""])).toEqual([""]);
  });
});

describe.if(Bun.which("zsh") !== null)("in zsh", () => {
  test("the names of sessions are completed at a prompt", async () => {
    await using host = await twoSessions();
    const { roots } = host;
    writeFileSync(
      join(roots.home, ".zshrc"),
      "PS1='zsh> '\nautoload -Uz compinit && compinit -u\nsource <(pohunek completions zsh --dynamic)\n",
    );
    await using terminal = new CliTerminal(roots, [], {
      program: ["zsh", "-i"],
      env: { PATH: `${programFolder(roots)}:${process.env["PATH"]}` },
    });
    await terminal.untilScreen("zsh>");
    terminal.type("pohunek atta\t");
    await terminal.untilScreen("zsh> pohunek attach ");
    terminal.type("ap\t");
    await terminal.untilScreen("zsh> pohunek attach api");
    terminal.type("\u0015pohunek session ren\t");
    await terminal.untilScreen("zsh> pohunek session rename ");
    terminal.type("my\t");
    await terminal.untilScreen("zsh> pohunek session rename my\\ web");
    terminal.type("\u0015pohunek new --agent she\t");
    await terminal.untilScreen("zsh> pohunek new --agent shell");
  });
});

describe.if(Bun.which("fish") !== null)("in fish", () => {
  test("commands, flags and the names of sessions are completed", async () => {
    await using host = await twoSessions();
    const { roots } = host;
    const complete = async (line: string): Promise<string[]> => {
      const script = `pohunek completions fish --dynamic | source; complete -C '${line}'`;
      return (await shell(roots, ["fish", "-c", script])).trimEnd().split("\n");
    };
    expect(await complete("pohunek atta")).toEqual(["attach\tShow a session on this terminal"]);
    const names = (await complete("pohunek attach ")).map((line) => line.split("\t")[0]);
    expect(names).toEqual(["api", "my web"]);
    expect((await complete("pohunek session stop ap")).map((line) => line.split("\t")[0])).toEqual(["api"]);
    expect(await complete("pohunek new --agent she")).toEqual(["shell\tShell"]);
    expect(await complete("pohunek ls --watc")).toEqual(["--watch\tStay, and keep the list up to date"]);
    expect((await complete("pohunek daemon ")).map((line) => line.split("\t")[0])).toEqual([
      "restart",
      "start",
      "stop",
    ]);
  });
});

describe("setup completions", () => {
  test.each([
    ["bash", "d/bash-completion/completions/pohunek"],
    ["zsh", "d/zsh/site-functions/_pohunek"],
    ["fish", "c/fish/completions/pohunek.fish"],
  ])("installs the script of %s once, and touches no file of others", async (name, place) => {
    using roots = new TempRoots();
    const path = join(roots.base, place);
    expect((await runJson(roots, ["setup", "completions", name])).ok).toEqual({
      shell: name,
      path,
      status: "installed",
    });
    const script = (await runCli(roots, ["completions", name, "--dynamic"])).stdout;
    expect(readFileSync(path, "utf8")).toBe(script);
    expect((await runJson(roots, ["setup", "completions", name])).ok).toMatchObject({ status: "unchanged" });
    writeFileSync(path, `${script}# older\n`);
    expect((await runJson(roots, ["setup", "completions", name])).ok).toMatchObject({ status: "updated" });
    writeFileSync(path, "somebody else's\n");
    const refused = await runJson(roots, ["setup", "completions", name]);
    expect({ code: refused.code, error: refused.err.code }).toEqual({ code: 2, error: "cli_usage" });
    expect(readFileSync(path, "utf8")).toBe("somebody else's\n");
    expect((await runJson(roots, ["setup", "completions", name, "--force"])).ok).toMatchObject({ status: "updated" });
  });

  test("takes the shell of the user when none is named", async () => {
    using roots = new TempRoots();
    expect((await runJson(roots, ["setup", "completions"])).ok).toMatchObject({ shell: "bash" });
    const other = await runJson(roots, ["setup", "completions"], { env: { SHELL: "/bin/tcsh" } });
    expect(other.err.code).toBe("cli_usage");
    expect(other.err.msg).toBe("completions exist for bash, zsh, fish; SHELL is tcsh, which has none");
    expect(other.err.recover).toStartWith("pohunek setup completions bash");
  });
});
