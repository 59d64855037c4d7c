import { expect, test } from "bun:test";
import type { Host, RawClient } from "../support/index.ts";
import { descriptorCount, processorMs, programCommand, startHost, until } from "../support/index.ts";

const FEW = ["prlimit", "--nofile=64:64"];
const EXHAUSTED = "client_file_descriptors_exhausted";
const NEW = { agent: "shell", command: ["/bin/sh"], cols: 80, rows: 24 };

/** Runs a command with as few descriptors. */
async function runCli(host: Host, ...words: readonly string[]): Promise<{ code: number; output: string }> {
  const child = Bun.spawn([...FEW, ...programCommand(...words)], {
    env: host.roots.environment(),
    cwd: host.roots.home,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "inherit",
  });
  const [output, code] = await Promise.all([child.stdout.text(), child.exited]);
  return { code, output };
}

test("a daemon with 64 descriptors refuses sessions before it is full, and can be asked to end some", async () => {
  // A worker that stands by would hold descriptors as well.
  await using host = await startHost({ wrap: FEW, config: "[worker]\nstandby = 0\n" });
  const before = descriptorCount(host.daemonPid);
  const ids: string[] = [];
  const refusal = await until(
    "a refusal",
    async () => {
      await using client = await host.connect();
      const { ok, err } = await client.ask("session.new", NEW);
      if (err === undefined) {
        ids.push((ok as { id: string }).id);
      }
      return err;
    },
    30_000,
  );
  expect(refusal).toMatchObject({ class: "runtime", code: EXHAUSTED });
  expect(refusal.recover).toContain("end sessions");
  expect(ids.length).toBeGreaterThan(15);
  expect((await host.list()).map(({ id }) => id)).toEqual(ids);
  expect(host.workers().size).toBe(ids.length);

  // The daemon after a crash has all of them again, and still room for those who ask.
  await host.kill();
  await host.start();
  expect((await host.list()).map(({ runtime }) => runtime.state)).toEqual(ids.map(() => "live"));
  const [first = "", second = "", third = "", ...rest] = ids;
  for (const id of [first, second, third]) {
    expect((await runCli(host, "session", "rm", id)).code).toBe(0);
  }
  const { code, output } = await runCli(host, "session", "list", "--json");
  expect(code).toBe(0);
  expect(output).toContain(rest[0] ?? "");
  expect(output).not.toContain(first);
  expect((await runCli(host, "session", "new", "--", "/bin/sh")).code).toBe(0);
  for (const { id } of await host.list()) {
    await host.call("session.remove", id);
  }
  await until("descriptors to be closed", () => descriptorCount(host.daemonPid) <= before);
  expect(host.workers().size).toBe(0);
}, 90_000);

test("a daemon with 64 descriptors tells or shows each connection too many that it is one, and rests", async () => {
  await using host = await startHost({ wrap: FEW, config: "[worker]\nstandby = 0\n" });
  const session = await host.newSession();
  const before = descriptorCount(host.daemonPid);
  const clients: RawClient[] = [];
  for (let index = 0; index < 80; index += 1) {
    clients.push(await host.connect());
  }
  const outcomes = await Promise.all(
    clients.map(async (client) => {
      try {
        return (await client.ask("daemon.health")).err?.code ?? "answered";
      } catch {
        // Closed: not even a refusal had room.
        return "closed";
      }
    }),
  );
  expect(new Set(outcomes)).toEqual(new Set(["answered", EXHAUSTED, "closed"]));
  expect(outcomes.filter((outcome) => outcome === "answered").length).toBeGreaterThan(15);
  // A listener that can't accept would turn in circles.
  const used = processorMs(host.daemonPid);
  await Bun.sleep(1000);
  expect(processorMs(host.daemonPid) - used).toBeLessThan(300);
  await Promise.all(clients.map((client) => client[Symbol.asyncDispose]()));
  await until("descriptors to be closed", () => descriptorCount(host.daemonPid) <= before);
  await using attach = await host.attach(session.id, { input: "echo here-$((3+3))\r" });
  await attach.until("here-6");
}, 60_000);

test("a client that has none to spare says so in one sentence", async () => {
  await using host = await startHost();
  const child = Bun.spawn(["prlimit", "--nofile=5:5", ...programCommand("session", "list")], {
    env: host.roots.environment(),
    stdout: "pipe",
    stderr: "pipe",
  });
  const [told, code] = await Promise.all([child.stderr.text(), child.exited]);
  expect({ told, code }).toEqual({
    told: `pohunek: This process has no file descriptor left (${EXHAUSTED})\n`,
    code: 1,
  });
});
