import { describe, expect, test } from "bun:test";
import type { Host, SessionFacts } from "../support/index.ts";
import { startHost, until } from "../support/index.ts";
import { CliTerminal, runCli } from "./support/index.ts";

/** Stops the daemon until disposed of or let go on. */
function hang(host: Host): Disposable & { readonly goOn: () => void } {
  const pid = host.daemonPid;
  const goOn = (): void => void process.kill(pid, "SIGCONT");
  process.kill(pid, "SIGSTOP");
  return { goOn, [Symbol.dispose]: goOn };
}

/** A session whose worker stands still, as `ls` shows it. */
async function silentSession(host: Host): Promise<SessionFacts & { readonly thaw: () => void }> {
  const session = await host.newSession({ name: "one" });
  const pid = host.workerPid(session.id);
  process.kill(pid, "SIGSTOP");
  await until("the session to be silent", async () =>
    /one +No answer /.test((await runCli(host.roots, ["ls"])).stdout),
  );
  return { ...session, thaw: () => process.kill(pid, "SIGCONT") };
}

describe("a session that does not answer", () => {
  test("is told at once by what wants something of it, with the next step, and is Ready again by itself", async () => {
    await using host = await startHost();
    const { id, thaw } = await silentSession(host);
    for (const words of [
      ["screen", "one"],
      ["send", "one", "hello"],
      ["read", "one"],
    ]) {
      const askedAt = performance.now();
      const { code, stderr } = await runCli(host.roots, words);
      expect(performance.now() - askedAt).toBeLessThan(2000);
      expect(code).toBe(1);
      expect(stderr).toContain("The session's worker does not answer (session_runtime_reconnecting)");
      expect(stderr).toContain("pohunek stop");
    }
    await using terminal = new CliTerminal(host.roots, ["attach", "one"]);
    expect(await terminal.exited).toBe(1);
    expect(terminal.output).toContain("does not answer");
    thaw();
    await host.waitForRuntime(id, "live");
    await until("the session to be ready", async () => /one +Ready /.test((await runCli(host.roots, ["ls"])).stdout));
  });

  test("is not mistaken for its daemon by who comes back to it from the menu, and is shown when it answers", async () => {
    await using host = await startHost();
    const session = await host.newSession({ name: "one" });
    await using terminal = new CliTerminal(host.roots, ["attach", "one"]);
    await terminal.untilScreen("#");
    const worker = host.workerPid(session.id);
    process.kill(worker, "SIGSTOP");
    terminal.type("\x1c");
    await terminal.untilScreen("d detach");
    terminal.type("\x1b");
    await terminal.untilScreen("the session does not answer, trying again (Ctrl-] leaves)");
    process.kill(worker, "SIGCONT");
    await terminal.untilScreen(/^[^\n]*# \n*$/);
    terminal.type("echo here-$((3+3))\r");
    await terminal.untilScreen("here-6");
    process.kill(worker, "SIGSTOP");
    terminal.type("\x1c");
    await terminal.untilScreen("k kill");
    terminal.type("ky");
    expect(await terminal.exited).toBe(0);
    expect(terminal.output).toContain("[one was stopped]");
  }, 30_000);
});

describe("the menu, while the daemon hangs", () => {
  async function attached(host: Host): Promise<CliTerminal> {
    const command = ["/bin/sh", "-c", "echo first-row; PS1='> ' exec sh"];
    await host.newSession({ name: "one", command });
    const terminal = new CliTerminal(host.roots, ["attach", "one"]);
    await terminal.untilScreen(/^first-row\n> $/m);
    return terminal;
  }

  test("goes back to the session at once, which works on, and is drawn whole when the daemon answers", async () => {
    await using host = await startHost();
    await using terminal = await attached(host);
    terminal.type("ec");
    await terminal.untilScreen("> ec");
    using daemon = hang(host);
    for (let round = 1; round <= 2; round += 1) {
      terminal.type("\x1c");
      await terminal.untilScreen(/^ one {2}the daemon does not answer: d detach {2}z suspend {2}esc back *$/m);
      const leftAt = performance.now();
      terminal.type("\x1b");
      await until("the menu to be gone", async () => (await terminal.screen())[0] === "");
      expect(performance.now() - leftAt).toBeLessThan(1000);
      terminal.type(`${round === 1 ? "" : "ec"}ho here-$((${round}+3))\r`);
      await terminal.untilScreen(new RegExp(`^> echo here-.*\n(.*\n)*here-${round + 3}\n> $`, "m"));
    }
    daemon.goOn();
    await terminal.untilScreen(/^first-row\n> echo here-\$\(\(1\+3\)\)\nhere-4\n> echo here-.*\nhere-5\n> $/m);
    terminal.type("echo again-$((3+3))\r");
    await terminal.untilScreen("again-6");
    terminal.type("\x1d");
    expect(await terminal.exited).toBe(0);
    expect(terminal.isRestored).toBe(true);
  }, 30_000);

  test("hears the key that leaves, and the way back, also when it was open before", async () => {
    await using host = await startHost();
    await using terminal = await attached(host);
    terminal.type("\x1c");
    await terminal.untilScreen("k kill");
    using daemon = hang(host);
    const leftAt = performance.now();
    terminal.type("\x1b");
    await terminal.untilScreen("the daemon does not answer; the session goes on, trying again (Ctrl-] leaves)");
    expect(performance.now() - leftAt).toBeLessThan(2500);
    daemon.goOn();
    await until("the notice to be gone", async () => !(await terminal.screen()).join("\n").includes("trying again"));
    await terminal.untilScreen(/^first-row\n> \n/);
    terminal.type("\x1c");
    await terminal.untilScreen("k kill");
    using _again = hang(host);
    terminal.type("\x1b");
    await terminal.untilScreen("trying again");
    const detachedAt = performance.now();
    terminal.type("\x1d");
    expect(await terminal.exited).toBe(0);
    expect(performance.now() - detachedAt).toBeLessThan(1500);
    expect(terminal.output).toContain("[detached from one;");
  }, 30_000);

  test.each([
    ["k", "y", "kill this session? y / n"],
    ["n", "", "k kill"],
  ])(
    "says so when it is asked for something (%s)",
    async (key, more, shown) => {
      await using host = await startHost();
      await using terminal = await attached(host);
      terminal.type("\x1c");
      await terminal.untilScreen("k kill");
      using _daemon = hang(host);
      terminal.type(key);
      await terminal.untilScreen(shown);
      const askedAt = performance.now();
      terminal.type(more);
      await terminal.untilScreen("the daemon does not answer: d detach  esc back");
      expect(performance.now() - askedAt).toBeLessThan(4000);
      terminal.type("\x1b");
      await terminal.untilScreen("trying again (Ctrl-] leaves)");
      terminal.type("\x1d");
      expect(await terminal.exited).toBe(0);
    },
    30_000,
  );
});

describe("the menu of a session", () => {
  test.each([
    ["ends", (_host: Host, { pid }: SessionFacts) => process.kill(pid, "SIGKILL"), /\[one failed with exit code 137/],
    ["is removed", (host: Host, { id }: SessionFacts) => host.call("session.remove", id), /\[one was stopped\]/],
    ["is lost", (host: Host, { id }: SessionFacts) => process.kill(host.workerPid(id), "SIGKILL"), /\[one is lost/],
  ])("that %s ends with it", async (_how, end, words) => {
    await using host = await startHost();
    const session = await host.newSession({ name: "one" });
    await using terminal = new CliTerminal(host.roots, ["attach", "one"]);
    await terminal.untilScreen("#");
    terminal.type("\x1c");
    await terminal.untilScreen("k kill");
    await end(host, session);
    await terminal.exited;
    expect(terminal.output).toMatch(words);
    expect(terminal.isRestored).toBe(true);
  });
});
