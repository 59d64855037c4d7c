import { expect, test } from "bun:test";
import { startStage, talked } from "../agents/support/stage.ts";
import { until } from "../support/index.ts";
import { CliTerminal, runCli, runJson } from "./support/index.ts";

test("resume and fork by their short names, and the way to them is told where a session has ended", async () => {
  await using stage = await startStage();
  const { host } = stage;
  const { id, native_session_id: reference = "" } = await talked(host, { name: "mine" });
  const { roots } = host;
  await using terminal = new CliTerminal(roots, ["attach", "mine"]);
  await terminal.untilScreen("you said: banana");
  expect((await runCli(roots, ["stop", "mine"])).code).toBe(0);
  await terminal.exited;
  expect(terminal.output).toContain("[mine was stopped; go on with: pohunek resume mine]");
  await using refused = new CliTerminal(roots, ["attach", "mine"]);
  await refused.exited;
  expect(refused.output).toContain("next: pohunek resume mine");
  expect((await runCli(roots, ["inspect", "mine"])).stdout).toContain(reference);

  expect(await runCli(roots, ["resume", "mine"])).toMatchObject({ code: 0, stdout: "resumed mine\n" });
  await using again = new CliTerminal(roots, ["attach", "mine"]);
  await again.untilScreen("earlier: banana");
  expect(await runCli(roots, ["fork", "mine"])).toMatchObject({ code: 0, stdout: "started mine-2\n" });
  expect(await runJson(roots, ["fork", "mine", "--name", "other"])).toMatchObject({ code: 0, ok: { name: "other" } });
  const live = await runCli(roots, ["resume", "mine"]);
  expect(live.code).toBe(1);
  expect(live.stderr).toContain("session_not_terminal");
  expect((await runCli(roots, ["resume"])).code).toBe(2);
  expect((await host.inspect(id)).runtime.runtime_generation).toBe("2");
});

test("the menu of an attached terminal forks what can be forked", async () => {
  await using stage = await startStage();
  const { host } = stage;
  await talked(host, { name: "mine" });
  await using terminal = new CliTerminal(host.roots, ["attach", "mine"]);
  await terminal.untilScreen("you said: banana");
  terminal.type("\u001c");
  await terminal.untilScreen("f fork");
  terminal.type("f");
  await terminal.untilScreen("earlier: banana");
  await until("two sessions", async () => (await host.list()).length === 2);
  terminal.type("\u001d");
  await terminal.exited;
  expect(terminal.output).toContain("detached from mine-2");
});

test("all that were lost are resumed in one command, and what can't be is told", async () => {
  await using stage = await startStage();
  const { host, stub } = stage;
  const [one, two, three] = await Promise.all(["one", "two", "three"].map((name) => talked(host, { name })));
  const shell = await host.newSession({ name: "shell" });
  await host.kill();
  for (const pid of host.workers().values()) process.kill(pid, "SIGKILL");
  await host.start();
  for (const session of [one, two, three, shell]) await host.waitForRuntime(session?.id ?? "", "lost");
  stub.forget(three?.native_session_id ?? "");
  const { code, stdout } = await runCli(host.roots, ["resume", "--lost"]);
  const lines = stdout.split("\n").toSorted();
  expect(lines.map((line) => line.replace(/: the .*\(/, " ("))).toEqual([
    "",
    "not resumed: three (agent_native_reference_missing)",
    "resumed one",
    "resumed two",
  ]);
  expect(code).toBe(1);
  expect((await host.inspect(one?.id ?? "")).runtime.state).toBe("live");
  const rest = await runJson(host.roots, ["resume", "--lost"]);
  expect(rest).toMatchObject({ code: 1, ok: { resumed: [], refused: [{ session_id: three?.id }] } });
});
