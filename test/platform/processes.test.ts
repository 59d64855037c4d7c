import { describe, expect, test } from "bun:test";
import { closeSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { endGeneration, findGeneration, platform } from "../../packages/host/src/platform/index.ts";
import { isAlive, until } from "../support/index.ts";

const { processes, files } = platform;

function factsOf(pid: number): { pid: number; startIdentity: string } {
  const facts = processes.read(pid);
  if (!facts) {
    throw new Error("the process is gone");
  }
  return facts;
}

describe("process facts", () => {
  test("name a process by pid and start; another start is another process", async () => {
    const child = Bun.spawn(["sleep", "100"]);
    const facts = factsOf(child.pid);
    expect(facts).toMatchObject({ pid: child.pid, parent: process.pid });
    const reused = { pid: child.pid, startIdentity: `${Number(facts.startIdentity) - 1}` };
    expect(processes.signal(reused, "SIGKILL")).toBe("gone");
    expect(isAlive(child.pid)).toBe(true);
    expect(processes.signal(facts, "SIGKILL")).toBe("sent");
    await child.exited;
    expect(processes.read(child.pid)).toBeUndefined();
    expect(processes.signal(facts, "SIGKILL")).toBe("gone");
  });

  test("count a zombie as dead, but still know its start", async () => {
    const shell = Bun.spawn(["sh", "-c", "sleep 0.05 & echo $!; exec sleep 100"], { stdout: "pipe" });
    const reader = shell.stdout.getReader();
    const pid = Number(new TextDecoder().decode((await reader.read()).value));
    await until("the zombie", () => processes.read(pid) === undefined && processes.startIdentity(pid) !== undefined);
    shell.kill("SIGKILL");
    await shell.exited;
  });

  test("read environment, folder and executable", async () => {
    const child = Bun.spawn(["sleep", "100"], { env: { MARK: "a=b", OTHER: "x" }, cwd: "/tmp" });
    try {
      // In the middle of its exec a process has no environment at all.
      await until("the exec", () => processes.readEnvironment(child.pid, ["OTHER"])?.size === 1);
      expect(processes.readEnvironment(child.pid, ["MARK", "NONE"])).toEqual(new Map([["MARK", "a=b"]]));
      expect(processes.readCwd(child.pid)).toBe("/tmp");
      expect(processes.readExecutable(child.pid)).toContain("sleep");
      expect(processes.readEnvironment(2 ** 22 - 1, ["MARK"])).toBeUndefined();
    } finally {
      child.kill("SIGKILL");
    }
  });

  test("number each process once in a boot, where the kernel does", () => {
    const id = processes.creationId(process.pid);
    expect(processes.creationId(process.pid)).toBe(id ?? "");
    expect(processes.creationId(process.ppid)).not.toBe(id ?? "");
    expect(processes.bootId()).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe("a generation's processes", () => {
  const marks = { sessionId: "s-tree", workerId: "k-tree", runtimeId: `w-tree-${process.pid}` };
  const path = process.env["PATH"] ?? "";

  test("are found by their marks alone, and told from others", async () => {
    const mine = { POHUNEK_SESSION_ID: "s-tree", POHUNEK_WORKER_ID: "k-tree" };
    const member = Bun.spawn(["sleep", "100"], { env: { ...mine, POHUNEK_WORKER_INSTANCE_ID: marks.runtimeId } });
    const unclear = Bun.spawn(["sleep", "100"], { env: mine });
    const other = Bun.spawn(["sleep", "100"], { env: { ...mine, POHUNEK_WORKER_INSTANCE_ID: "w-other" } });
    const hook = Bun.spawn(["sleep", "100"], { env: { POHUNEK_SESSION_ID: "s-tree" } });
    const children = [member, unclear, other, hook];
    try {
      const search = { marks, except: [process.pid] };
      const found = findGeneration(processes, search);
      expect(found.members.map(({ pid }) => pid)).toEqual([member.pid]);
      expect(found.unclear.map(({ pid }) => pid)).toEqual([unclear.pid]);
      const result = await endGeneration({ ...search, processes, graceMs: 500 });
      expect(result.survivors).toEqual([]);
      expect(result.unclear.map(({ pid }) => pid)).toEqual([unclear.pid]);
      expect(children.map(({ pid }) => isAlive(pid))).toEqual([false, true, true, true]);
    } finally {
      children.forEach((child) => child.kill("SIGKILL"));
      await Promise.all(children.map((child) => child.exited));
    }
  });

  test("that appear while others are being killed are found too", async () => {
    const script = "trap '' HUP TERM; while :; do sleep 0.01 & done";
    const forker = Bun.spawn(["sh", "-c", script], {
      env: { PATH: path, POHUNEK_WORKER_INSTANCE_ID: marks.runtimeId },
    });
    const result = await endGeneration({ processes, marks, except: [process.pid], graceMs: 200 });
    expect(result).toEqual({ survivors: [], unclear: [] });
    await forker.exited;
  }, 20_000);
});

describe("the kernel's word on a peer", () => {
  test("is pid, user and start of the one that connected", async () => {
    const folder = mkdtempSync(join(tmpdir(), "peer"));
    const path = join(folder, "s");
    const accepted = Promise.withResolvers<ReturnType<typeof platform.readPeer>>();
    const listener = Bun.listen({
      unix: path,
      socket: {
        // The descriptor is there, though the types do not say so.
        open: (socket) => accepted.resolve(platform.readPeer((socket as unknown as { fd: number }).fd)),
        data: () => undefined,
      },
    });
    const socket = connect(path);
    const { uid, gid } = { uid: process.getuid?.() ?? -1, gid: process.getgid?.() ?? -1 };
    const { startIdentity } = factsOf(process.pid);
    expect(await accepted.promise).toEqual({ pid: process.pid, uid, gid, startIdentity });
    socket.destroy();
    listener.stop(true);
    rmSync(folder, { recursive: true });
  });

  test("is missing for what is no Unix socket", async () => {
    const accepted = Promise.withResolvers<ReturnType<typeof platform.readPeer>>();
    const listener = Bun.listen({
      hostname: "127.0.0.1",
      port: 0,
      socket: {
        open: (socket) => accepted.resolve(platform.readPeer((socket as unknown as { fd: number }).fd)),
        data: () => undefined,
      },
    });
    const socket = connect(listener.port, "127.0.0.1");
    expect(await accepted.promise).toBeUndefined();
    socket.destroy();
    listener.stop(true);
    expect(platform.readPeer(-1)).toBeUndefined();
  });
});

describe("a lock", () => {
  test("is held by one open file, in whatever process, and ends with it", async () => {
    const folder = mkdtempSync(join(tmpdir(), "lock"));
    const path = join(folder, "l");
    const [first, second] = [openSync(path, "w"), openSync(path, "w")];
    expect(files.tryLock(first)).toBe(true);
    expect(files.tryLock(second)).toBe(false);
    const elsewhere = Bun.spawnSync(["flock", "-n", path, "true"]);
    expect(elsewhere.exitCode).toBe(1);
    closeSync(first);
    expect(files.tryLock(second)).toBe(true);
    files.unlock(second);
    expect(Bun.spawnSync(["flock", "-n", path, "true"]).exitCode).toBe(0);
    closeSync(second);
    files.syncDirectory(folder);
    rmSync(folder, { recursive: true });
    await Promise.resolve();
  });
});
