import { describe, expect, test } from "bun:test";
import { readFileSync, readlinkSync, statSync } from "node:fs";
import { join } from "node:path";
import { environmentOf, isAlive, parentOf, until } from "../support/index.ts";
import { descriptorsOf } from "./support/descriptors.ts";
import { launchSpec, WorkerUnderTest } from "./support/worker-under-test.ts";

describe("the process of a worker", () => {
  test("is a session of its own, without terminal, parent or inherited descriptors", async () => {
    await using worker = await WorkerUnderTest.start();
    const { pid } = worker;
    const fields = readFileSync(`/proc/${pid}/stat`, "latin1")
      .replace(/^.*\) /, "")
      .split(" ");
    const [, parent, group, session, terminal] = fields.map(Number);
    expect({ group, session, terminal }).toEqual({ group: pid, session: pid, terminal: 0 });
    expect(parent).not.toBe(process.pid);
    const own = (link: string): boolean => link.startsWith("anon_inode:") || link === worker.logFile;
    // The readiness pipe is closed right after it spoke.
    const others = await until("nothing but the listener", () => {
      const links = [...descriptorsOf(pid).entries()].filter(([fd]) => fd > 2).map(([, link]) => link);
      const foreign = links.filter((link) => !own(link));
      return foreign.length === 1 && foreign;
    });
    expect(others[0]).toMatch(/^socket:/);
    for (const standard of [0, 1, 2]) {
      expect(readlinkSync(`/proc/${pid}/fd/${standard}`)).toBe("/dev/null");
    }
    expect(readlinkSync(`/proc/${pid}/cwd`)).toBe("/");
    expect([...environmentOf(pid).keys()].sort()).toEqual(["BUN_GC_TIMER_DISABLE", "PWD"]);
  });

  test("has a private socket, a private folder and no other listener", async () => {
    await using worker = await WorkerUnderTest.start();
    expect(statSync(worker.socketPath).mode & 0o777).toBe(0o600);
    expect(statSync(join(worker.socketPath, "..")).mode & 0o777).toBe(0o700);
    // The readiness pipe is closed right after it spoke.
    const sockets = await until("nothing but the listener", () => {
      const inodes = [...descriptorsOf(worker.pid).values()]
        .map((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1])
        .filter((inode) => inode !== undefined);
      return inodes.length === 1 && inodes;
    });
    const tcp = ["tcp", "tcp6", "udp", "udp6"].map((name) => readFileSync(`/proc/${worker.pid}/net/${name}`, "latin1"));
    expect(sockets.filter((inode) => tcp.some((table) => table.includes(` ${inode} `)))).toEqual([]);
  });

  test("gives the child a terminal, default signals, an ordinary file limit and its marks", async () => {
    await using worker = await WorkerUnderTest.start();
    await using session = await worker.run(
      "grep -E 'SigBlk|SigIgn' /proc/self/status; ulimit -n; tty; umask; ls /proc/self/fd | tr '\\n' ' '; echo; sleep 100",
      { env: { POHUNEK_SESSION_ID: worker.key.sessionId }, umask: 0o027 },
    );
    await session.shows("0 1 2 3");
    const { child, foreground } = await session.client.inspect();
    const { visible_lines: lines } = await session.client.snapshot();
    expect(lines[0]).toMatch(/SigBlk:\s+0+$/);
    // The C library ignores its two internal signals, 32 and 33, in what it spawns.
    expect(lines[1]).toMatch(/SigIgn:\s+0+(180000000)?$/);
    expect([lines[2], lines[4]]).toEqual(["1024", "0027"]);
    expect(lines[3]).toMatch(/^\/dev\/pts\/\d+$/);
    const env = environmentOf(child?.pid ?? 0);
    expect(env.get("POHUNEK_SESSION_ID")).toBe(worker.key.sessionId);
    expect(env.get("POHUNEK_WORKER_ID")).toBe(worker.key.workerId);
    expect(env.get("POHUNEK_WORKER_INSTANCE_ID")).toBe(worker.key.runtimeId);
    expect(env.get("POHUNEK_WORKER_SOCKET_PATH")).toBe(worker.socketPath);
    expect(env.get("POHUNEK_WORKER_HOOK_PROTOCOL_VERSION")).toBe("1");
    expect(env.has("BUN_GC_TIMER_DISABLE")).toBe(false);
    expect(parentOf(child?.pid ?? 0)).toBe(worker.pid);
    expect(foreground?.pgid).toBe(child?.pid ?? 0);
  });

  test.each([
    ["a program that is not there", { argv: ["no-such-program"] }, "program_missing"],
    ["a program that may not be run", { argv: ["/etc/passwd"] }, "program_denied"],
    ["a folder that is not there", { cwd: "/no/such/folder" }, "cwd_missing"],
  ])("refuses %s and then takes another launch", async (_name, spec, reason) => {
    await using worker = await WorkerUnderTest.start();
    await using session = await worker.control();
    const refused = await session.client
      .initialize({ ...launchSpec("true"), ...spec })
      .catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: "spawn_failed", details: { reason } });
    expect((await session.client.inspect()).phase).toBe("waiting");
    await session.client.initialize(launchSpec("exit 3"));
    expect((await session.event("child_exited")).exit).toMatchObject({ code: 3 });
  });

  test("finds the program in the PATH of the launch, not in its own", async () => {
    await using worker = await WorkerUnderTest.start();
    await using session = await worker.control();
    // The second folder can't even be looked into, as another user's could not.
    const env = { PATH: `/nowhere:/${"x".repeat(300)}:/bin` };
    await session.client.initialize({ ...launchSpec(["sh", "-c", "echo found; sleep 100"]), env });
    await session.shows("found");
  });

  test("tells a signal from a code, and reaps the child and only the child", async () => {
    await using worker = await WorkerUnderTest.start();
    await using session = await worker.run("kill -9 $$");
    expect((await session.event("child_exited")).exit).toMatchObject({ signal: "SIGKILL" });
    const { child } = await session.client.inspect();
    expect(isAlive(child?.pid ?? 0)).toBe(false);
    await until("no zombie of the worker", () => {
      const children = readFileSync(`/proc/${worker.pid}/task/${worker.pid}/children`, "latin1");
      return children.trim() === "";
    });
  });

  test("ends when nobody gives it a program, and leaves nothing", async () => {
    // The deadline is 30 s; SIGTERM takes the same way out.
    await using worker = await WorkerUnderTest.start();
    process.kill(worker.pid, "SIGTERM");
    await worker.hasEnded();
    expect(() => statSync(worker.socketPath)).toThrow();
    expect(() => statSync(worker.journalFile)).toThrow();
  });
});
