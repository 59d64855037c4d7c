import { describe, expect, test } from "bun:test";
import type { Host, SessionFacts } from "../support/index.ts";
import { startHost, until } from "../support/index.ts";
import { CliTerminal, runCli } from "./support/index.ts";

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
