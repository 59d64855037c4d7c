import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import type { Host } from "../support/index.ts";
import { isAlive, processesMentioning, startHost, until } from "../support/index.ts";

/** Pids of the workers of a host that nobody has a use for yet. */
function standingBy(host: Host): number[] {
  return processesMentioning(`--state-root=${host.roots.state}`).filter(
    (pid) => readFileSync(`/proc/${pid}/comm`, "utf8") === "pohunek-standby\n",
  );
}

async function untilStandby(host: Host): Promise<number> {
  return await until("a worker to stand by", () => standingBy(host)[0] ?? false);
}

test("a new session gets the worker that stands by, under its own name, and another one takes its place", async () => {
  await using host = await startHost();
  const standby = await untilStandby(host);
  const session = await host.newSession({ command: ["/bin/sh", "-c", "echo here; exec sleep 600"] });
  expect(host.workerPid(session.id)).toBe(standby);
  expect(readFileSync(`/proc/${standby}/comm`, "utf8")).toBe("pohunek-session\n");
  const shown = readFileSync(`/proc/${standby}/cmdline`, "latin1").split("\0");
  expect(shown).toContain(`--session-id=${session.id}`);
  expect(shown.some((argument) => argument.startsWith("--standby-fd"))).toBe(false);
  await using attach = await host.attach(session.id);
  await attach.until("here");
  expect(await untilStandby(host)).not.toBe(standby);
});

test("it outlives the daemon as the worker of a session, and not as nobody's", async () => {
  await using host = await startHost();
  await untilStandby(host);
  const session = await host.newSession({ command: ["/bin/sleep", "600"] });
  const worker = host.workerPid(session.id);
  const idle = await untilStandby(host);
  await host.kill();
  await until("the one that stands by to end", () => !isAlive(idle));
  await host.start();
  expect(await host.inspect(session.id)).toMatchObject({ state: "running", runtime: { state: "live" } });
  expect(host.workerPid(session.id)).toBe(worker);
  const next = await untilStandby(host);
  await host.stop();
  await until("the next one to end as well", () => !isAlive(next));
});

test("without it a session starts all the same", async () => {
  await using host = await startHost();
  const standby = await untilStandby(host);
  process.kill(standby, "SIGKILL");
  await until("it to be gone", () => !isAlive(standby));
  const session = await host.newSession({ command: ["/bin/sleep", "600"] });
  expect(await host.inspect(session.id)).toMatchObject({ state: "running", runtime: { state: "live" } });
  expect(host.log().filter(({ event }) => event === "standby_worker_failed")).toHaveLength(1);
});

test("one that was stopped is done without, and does not become a second worker when it goes on", async () => {
  await using host = await startHost();
  const standby = await untilStandby(host);
  process.kill(standby, "SIGSTOP");
  const session = await host.newSession({ command: ["/bin/sleep", "600"] });
  const worker = host.workerPid(session.id);
  expect(worker).not.toBe(standby);
  process.kill(standby, "SIGCONT");
  await until("it to end", () => !isAlive(standby));
  expect(host.workerPid(session.id)).toBe(worker);
  expect(await host.inspect(session.id)).toMatchObject({ state: "running", runtime: { state: "live" } });
});

test("none is kept where none is wanted", async () => {
  await using host = await startHost({ config: "[worker]\nstandby = 0\n" });
  const session = await host.newSession({ command: ["/bin/sleep", "600"] });
  expect(host.workers().size).toBe(1);
  await host.call("session.stop", session.id);
  expect(standingBy(host)).toEqual([]);
});
