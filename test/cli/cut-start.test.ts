import { expect, test } from "bun:test";
import type { Host } from "../support/index.ts";
import { startHost, TempRoots } from "../support/index.ts";
import { CliTerminal, runCli, runJson, sampleSession, standInDaemon } from "./support/index.ts";

/** A host whose daemon dies in the middle of starting a session. The next one does not. */
async function dyingHost(step: string): Promise<Host> {
  return await startHost({ env: { POHUNEK_TEST_CRASH_AT: step } });
}

/** Waits for the end of the daemon that died; the one that the command started is ended by its pid. */
async function withNextDaemon(host: Host, look: () => Promise<void>): Promise<void> {
  try {
    await look();
  } finally {
    await host.daemonEnd();
    await runCli(host.roots, ["daemon", "stop"]);
  }
}

test.each(["create:initialized", "create:stored"])(
  "run shows the session that a daemon died over at %s, and says so",
  async (step) => {
    await using host = await dyingHost(step);
    await withNextDaemon(host, async () => {
      await using terminal = new CliTerminal(host.roots, ["run", "--", "/bin/sh"]);
      await terminal.untilOutput('The daemon died and was started again; "sh" was started.');
      await terminal.untilScreen("#");
      terminal.type("echo here-$((3+3))\r");
      await terminal.untilScreen("here-6");
      terminal.type("\x1d");
      expect(await terminal.exited).toBe(0);
    });
  },
);

test("run and new say that nothing was started when the next daemon has taken it back", async () => {
  for (const words of [
    ["run", "--", "sleep", "1000"],
    ["new", "--", "sleep", "1000"],
  ]) {
    await using host = await dyingHost("create:recorded");
    await withNextDaemon(host, async () => {
      await using terminal = new CliTerminal(host.roots, words, { env: { NO_COLOR: "1" } });
      expect(await terminal.exited).toBe(1);
      expect(terminal.output.replaceAll("\r", "")).toBe(
        "pohunek: the daemon died while it started the session, and nothing was started; the daemon runs again " +
          "(daemon_unreachable)\n  next: Try it again.\n",
      );
      expect((await runJson<unknown[]>(host.roots, ["ls"])).ok).toEqual([]);
    });
  }
});

test("new answers with the session that is there, and with a failure where its text may not have been typed", async () => {
  await using host = await dyingHost("create:stored");
  await withNextDaemon(host, async () => {
    const { code, ok } = await runJson<{ name: string }>(host.roots, ["new", "--name", "one", "--", "sleep", "1000"]);
    expect({ code, name: ok.name }).toEqual({ code: 0, name: "one" });
  });
  await host.start({ POHUNEK_TEST_CRASH_AT: "create:stored" });
  await withNextDaemon(host, async () => {
    const words = ["new", "--name", "two", "--input", "echo hello"];
    const { code, err } = await runJson(host.roots, words);
    expect({ code, error: err.code, recover: err.recover }).toEqual({
      code: 1,
      error: "daemon_unreachable",
      recover: "pohunek attach two",
    });
    expect(err.msg).toContain('"two" is there, but whether the text was typed');
    expect((await runJson<unknown[]>(host.roots, ["ls"])).ok).toHaveLength(2);
  });
});

test("run says that its session is there when it can't be shown any more", async () => {
  using roots = new TempRoots();
  const started = sampleSession({ name: "one", launch: { kind: "command", cwd: "/" } });
  await using _daemon = await standInDaemon(roots, {
    handlers: {
      "session.new": () => started,
      "session.attach": (_params, { socket }) => void socket.destroy(),
    },
  });
  await using terminal = new CliTerminal(roots, ["run", "--", "sleep", "1000"], { env: { NO_COLOR: "1" } });
  expect(await terminal.exited).toBe(1);
  expect(terminal.output).toContain('"one" was started and goes on, but it can\'t be shown: the daemon closed');
  expect(terminal.output).toContain("next: pohunek attach one");
});
