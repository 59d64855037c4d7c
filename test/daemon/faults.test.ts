import { describe, expect, test } from "bun:test";
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { SessionFacts } from "../support/index.ts";
import { runDaemon, startHost, TempRoots, until } from "../support/index.ts";

interface Report {
  readonly report: { readonly overall: string; readonly checks: { name: string; status: string; detail: string }[] };
}

const nameOf = async (
  host: { inspect: (id: string) => Promise<SessionFacts> },
  id: string,
): Promise<string | undefined> => (await host.inspect(id)).name;

describe("a full disk", () => {
  test("under the store refuses changes, tells facts all the same, and stores them when there is room again", async () => {
    const roots = new TempRoots();
    const disk = roots.smallDisk(roots.data, { kib: 1024 });
    await using host = await startHost({ roots });
    const kept = await host.newSession({ name: "before" });
    const ending = await host.newSession({ command: ["/bin/sh", "-c", "read x; exit 4"] });
    disk.fill();
    const refused = await until("the store to be full", async () => {
      await using client = await host.connect();
      const { err } = await client.ask("session.rename", { session_id: kept.id, name: "x".repeat(120) });
      return err?.code;
    });
    expect(refused).toBe("io_error");
    const name = await nameOf(host, kept.id);
    expect(await host.refusal("session.new", { agent: "shell", command: ["/bin/sh"], cols: 80, rows: 24 })).toBe(
      "io_error",
    );
    expect(await nameOf(host, kept.id)).toBe(name);
    expect((await host.list()).length).toBe(2);
    expect(host.workers().size).toBe(2);

    await using attach = await host.attach(kept.id, { input: "echo still-$((1+1))\r" });
    await attach.until("still-2");
    await host.call("session.input", { session_id: ending.id, text: "" });
    expect(await host.waitForState(ending.id, "failed")).toMatchObject({ exit_code: 4 });
    const { report } = await host.call<Report>("daemon.doctor");
    expect(report.checks.find(({ name: check }) => check === "store")?.status).toBe("fail");

    disk.empty();
    await until(
      "the fact to be stored",
      async () =>
        (await host.call<Report>("daemon.doctor")).report.checks.find(({ name: check }) => check === "store")
          ?.status === "ok",
      20_000,
    );
    await host.kill();
    await host.start();
    expect(await host.inspect(ending.id)).toMatchObject({ state: "failed", exit_code: 4 });
    expect(await host.call<unknown>("session.rename", { session_id: kept.id, name: "after" })).toMatchObject({
      session: { name: "after" },
    });
  }, 60_000);

  test("under the log loses lines whole and nothing else, and tells the loss", async () => {
    const roots = new TempRoots();
    const disk = roots.smallDisk(dirname(roots.daemonLog), { kib: 128 });
    await using host = await startHost({ roots });
    disk.fill();
    const session = await host.newSession();
    for (let round = 0; round < 50; round += 1) {
      await host.call("session.list");
    }
    await using attach = await host.attach(session.id, { input: "echo fine-$((2+2))\r" });
    await attach.until("fine-4");
    disk.empty();
    await host.call("daemon.health");
    const lines = await until("the loss to be told", () => {
      const found = host.log();
      return found.some(({ event }) => event === "log_lines_dropped") && found;
    });
    expect(lines.find(({ event }) => event === "log_lines_dropped")?.["lines"]).toBeGreaterThan(10);
    await host.call("session.remove", session.id);
  });

  test("under the workers' journals keeps nobody from working, and the daemon finds the worker by its socket", async () => {
    const roots = new TempRoots();
    const disk = roots.smallDisk(join(roots.state, "workers"), { kib: 64 });
    await using host = await startHost({ roots });
    disk.fill();
    const session = await host.newSession();
    await host.kill();
    await host.start();
    expect(await host.waitForRuntime(session.id, "live")).toMatchObject({ pid: session.pid });
    await using attach = await host.attach(session.id, { input: "echo here-$((3+3))\r" });
    await attach.until("here-6");
    expect(await host.call<unknown>("session.remove", session.id)).toEqual({ removed: true, stopped: true });
    await until("the worker's end", () => host.workers().size === 0);
  });

  test("at the start is told in words", async () => {
    using roots = new TempRoots();
    const disk = roots.smallDisk(roots.data, { kib: 64 });
    disk.fill();
    const { code, stderr } = await runDaemon(roots.environment());
    expect(code).toBe(1);
    expect(stderr).toMatch(/\((io_error|paths_unavailable)\)/);
    expect(stderr).not.toContain("    at ");
  });
});

test("a read-only disk at the start is told in words", async () => {
  using roots = new TempRoots();
  const disk = roots.smallDisk(roots.data, { kib: 64 });
  disk.setReadOnly(true);
  const { code, stderr } = await runDaemon(roots.environment());
  expect(code).toBe(1);
  expect(stderr).toContain("paths_unavailable");
  expect(stderr).not.toContain("    at ");
});

const AS_NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "/usr/bin/python3", "-c"];
const CONNECT = `
import socket, sys
s = socket.socket(socket.AF_UNIX)
try:
    s.connect(sys.argv[1])
except OSError as error:
    print("connect", error.errno)
    sys.exit()
try:
    s.sendall(b'{"v":{"minimum":3,"maximum":4},"id":"x","method":"daemon.health"}\\n')
    print("answer", s.recv(1000))
except OSError as error:
    print("answer", b"")
`;

test("another user can't connect: the folder is in the way, and should it not be, the kernel tells who it is", async () => {
  await using host = await startHost();
  const asNobody = async (): Promise<string> =>
    await new Response(
      Bun.spawn([...AS_NOBODY, CONNECT, host.roots.socket], { stdout: "pipe", stderr: "inherit" }).stdout,
    ).text();
  // EACCES
  expect(await asNobody()).toBe("connect 13\n");
  // The test runner's own temp folder is private as well.
  const parent = dirname(host.roots.base);
  if ((statSync(parent).mode & 0o001) === 0) {
    chmodSync(parent, 0o711);
  }
  const opened = [host.roots.base, join(host.roots.base, "r"), host.roots.runtime];
  opened.forEach((folder) => chmodSync(folder, 0o755));
  chmodSync(host.roots.socket, 0o666);
  expect(await asNobody()).toBe("answer b''\n");
  expect(await host.call<unknown>("daemon.health")).toMatchObject({ status: "ok" });
  await until("the refusal in the log", () => host.log().find(({ event }) => event === "peer_refused"));
  expect(host.log().find(({ event }) => event === "peer_refused")).toMatchObject({ level: "warn", uid: 65_534 });
});

const CONNECT_TCP = `
import socket, sys
s = socket.create_connection((sys.argv[1], int(sys.argv[2])))
try:
    s.sendall(b'{"v":{"minimum":3,"maximum":4},"id":"x","method":"daemon.health"}\\n')
    print("answer", len(s.recv(1000)) > 0)
except OSError as error:
    print("answer", False)
`;

test("another user of this machine can't pass for the owner by an overlay's address", async () => {
  await using host = await startHost({
    config: '[overlay.four]\naddress = "127.0.0.1"\nport = 0\n[overlay.six]\naddress = "::1"\nport = 0\n',
  });
  for (const [overlay, address] of [
    ["four", "127.0.0.1"],
    ["six", "::1"],
  ] as const) {
    const name = String(host.log().find((line) => line["overlay"] === overlay)?.["address"]);
    const port = name.slice(name.lastIndexOf(":") + 1);
    const run = async (command: string[]): Promise<string> =>
      await new Response(
        Bun.spawn([...command, CONNECT_TCP, address, port], { stdout: "pipe", stderr: "inherit" }).stdout,
      ).text();
    expect(await run(["/usr/bin/python3", "-c"])).toBe("answer True\n");
    expect(await run(AS_NOBODY)).toBe("answer False\n");
  }
});

test("creations that a stopping daemon has begun are whole, and later ones are refused", async () => {
  await using host = await startHost();
  const outcomes: string[] = [];
  const created: string[] = [];
  const work = Array.from({ length: 12 }, async (_, index) => {
    await Bun.sleep(index * 15);
    try {
      await using client = await host.connect();
      const { ok, err } = await client.ask("session.new", {
        agent: "shell",
        command: ["/bin/sh"],
        cols: 80,
        rows: 24,
        name: `n${index}`,
      });
      if (err === undefined) {
        created.push((ok as SessionFacts).id);
      }
      outcomes.push(err?.code ?? "created");
    } catch {
      // The socket is gone already.
      outcomes.push("no daemon");
    }
  });
  await Bun.sleep(60);
  expect(await host.stop()).toBe(0);
  await Promise.all(work);
  await host.start();
  const listed = await host.list();
  expect(listed.map(({ id }) => id).toSorted()).toEqual(created.toSorted());
  expect(listed.every(({ runtime }) => runtime.state === "live")).toBe(true);
  expect(host.workers().size).toBe(created.length);
  expect(outcomes.every((outcome) => ["created", "daemon_shutting_down", "no daemon"].includes(outcome))).toBe(true);
  expect(outcomes).toContain("created");
});

test("workers that are children of the daemon end with it, and their sessions have ended as well", async () => {
  await using host = await startHost({ env: { POHUNEK_WORKER_LAUNCHER: "subprocess" } });
  const session = await host.newSession();
  const { report } = await host.call<Report>("daemon.doctor");
  expect(report.checks.find(({ name }) => name === "supervision")?.detail).toBe("subprocess");
  expect(await host.stop()).toBe(0);
  await until("the workers' end", () => host.workers().size === 0);
  await host.start();
  // The worker was told to end, so it wrote down how its program did.
  expect(await host.inspect(session.id)).toMatchObject({ state: "failed", runtime: { state: "terminal" } });
  const other = await host.newSession();
  await host.kill();
  await until("the workers' end after a kill", () => host.workers().size === 0);
  await host.start();
  const found = await host.inspect(other.id);
  expect(found.state).toBe("failed");
  expect(["lost", "terminal"]).toContain(found.runtime.state);
}, 30_000);

test("a clock that goes back does not make a session's time go back", async () => {
  await using host = await startHost();
  const { id } = await host.newSession();
  await host.stop();
  const { Database } = await import("bun:sqlite");
  const db = new Database(join(host.roots.data, "store.sqlite3"));
  db.run("UPDATE sessions SET updated_at = '2099-01-01T00:00:00.000Z'");
  db.close();
  await host.start();
  const before = await host.inspect(id);
  expect(Date.parse(before.updated_at)).toBeGreaterThan(Date.parse("2099-01-01T00:00:00.000Z"));
  const { session } = await host.call<{ session: SessionFacts }>("session.rename", { session_id: id, name: "later" });
  expect(Date.parse(session.updated_at)).toBeGreaterThan(Date.parse(before.updated_at));
  const waited = await host.call<{ reason: string }>("session.wait", {
    session_id: id,
    after_updated_at: session.updated_at,
    timeout_ms: 20,
  });
  expect(waited.reason).toBe("timeout");
});

test("the folder that the log lies in may vanish", async () => {
  await using host = await startHost();
  await Bun.$`rm -rf ${dirname(host.roots.daemonLog)}`.quiet();
  const { id } = await host.newSession();
  expect(await host.call<unknown>("session.remove", id)).toMatchObject({ removed: true });
  expect(existsSync(host.roots.daemonLog) ? readFileSync(host.roots.daemonLog, "utf8") : "").toBeDefined();
  writeFileSync(join(host.roots.base, "done"), "");
});
