import { describe, expect, test } from "bun:test";
import { closeSync, openSync, writeSync } from "node:fs";
import type { PtyPair } from "../../packages/host/src/platform/index.ts";
import { platform, WOULD_BLOCK } from "../../packages/host/src/platform/index.ts";
import { until } from "../support/index.ts";

const { pty, processes } = platform;

class OpenPty implements Disposable {
  readonly pair: PtyPair = pty.open({ cols: 80, rows: 24 });
  readonly #reader = pty.openReader(this.pair.master);
  text = "";

  /** Reads what is there now. */
  read(): string {
    const memory = new Uint8Array(65_536);
    for (let got = this.#reader.readNow(memory, 0); got > 0; got = this.#reader.readNow(memory, 0)) {
      this.text += Buffer.from(memory.subarray(0, got)).toString("latin1");
    }
    return this.text;
  }

  spawn(script: string, more: { openFiles?: number; umask?: number } = {}): number {
    const env = { PATH: process.env["PATH"] ?? "" };
    const argv = ["sh", "-c", script];
    return processes.spawn({ file: "/bin/sh", argv, env, cwd: "/tmp", terminal: this.pair.slavePath, ...more });
  }

  async shows(text: string): Promise<void> {
    await until(`the terminal to show ${text}`, () => this.read().includes(text));
  }

  async ends(pid: number): Promise<ReturnType<typeof processes.reap>> {
    return await until("the child to end", () => {
      const status = processes.reap(pid);
      return status.kind !== "running" && status;
    });
  }

  [Symbol.dispose](): void {
    pty.close(this.pair);
  }
}

describe("a PTY", () => {
  test("has the size it was opened with, and takes another", () => {
    using open = new OpenPty();
    expect(pty.readSize(open.pair.master)).toEqual({ cols: 80, rows: 24 });
    pty.setSize(open.pair.master, { cols: 501, rows: 7 });
    expect(pty.readSize(open.pair.slave)).toEqual({ cols: 501, rows: 7 });
  });

  test("is the controlling terminal of its program, which leads session, group and foreground", async () => {
    using open = new OpenPty();
    const pid = open.spawn("printf ready; read x");
    await open.shows("ready");
    expect(processes.read(pid)).toMatchObject({ group: pid, session: pid, foregroundGroup: pid });
    expect(pty.foregroundGroup(open.pair.master)).toBe(pid);
    pty.writeNow(open.pair.master, Buffer.from("\x03"));
    expect(await open.ends(pid)).toEqual({ kind: "signaled", signal: "SIGINT" });
  });

  test("reads without waiting, and ends when no slave is open", () => {
    using open = new OpenPty();
    const reader = pty.openReader(open.pair.master);
    const memory = new Uint8Array(16);
    expect(reader.readNow(memory, 0)).toBe(WOULD_BLOCK);
    writeSync(open.pair.slave, "abc");
    expect(reader.readNow(memory, 4)).toBe(3);
    expect(Buffer.from(memory.subarray(4, 7)).toString()).toBe("abc");
    expect(reader.readNow(memory, 0)).toBe(WOULD_BLOCK);
  });

  test("has echoed what was written once that is settled", () => {
    using open = new OpenPty();
    const reader = pty.openReader(open.pair.master);
    const memory = new Uint8Array(16);
    for (let key = 0; key < 200; key++) {
      pty.writeNow(open.pair.master, Buffer.from("k"));
      pty.settleInput(open.pair.slave);
      expect(reader.readNow(memory, 0)).toBe(1);
    }
  });

  test("takes input until the kernel's buffer is full, and never waits", async () => {
    using open = new OpenPty();
    const pid = open.spawn("stty raw -echo; printf ready; sleep 100");
    await open.shows("ready");
    const piece = Buffer.alloc(65_536, "i");
    let taken = 0;
    const started = performance.now();
    for (let wrote = 0; wrote !== WOULD_BLOCK; wrote = pty.writeNow(open.pair.master, piece)) {
      taken += wrote;
    }
    expect(performance.now() - started).toBeLessThan(1_000);
    expect(taken).toBeGreaterThan(4_000);
    process.kill(pid, "SIGKILL");
    expect(await open.ends(pid)).toEqual({ kind: "signaled", signal: "SIGKILL" });
  });

  test("tells how it treats control characters, and signals the foreground as they would", async () => {
    using open = new OpenPty();
    expect(pty.lineDiscipline(open.pair.master)).toEqual({
      isCanonical: true,
      hasSignals: true,
      keepsInputOnSignal: false,
      interruptByte: 3,
      quitByte: 28,
      suspendByte: 26,
    });
    const pid = open.spawn("trap 'echo caught' INT; stty -isig; printf ready; sleep 0.3; read x");
    await open.shows("ready");
    expect(pty.lineDiscipline(open.pair.master).hasSignals).toBe(false);
    pty.signalForeground(open.pair.master, 2);
    await open.shows("caught");
    process.kill(pid, "SIGKILL");
    await open.ends(pid);
  });

  test("throws away input that was not read", async () => {
    using open = new OpenPty();
    const pid = open.spawn("stty raw -echo; printf ready; sleep 0.5; dd bs=100 count=1 status=none");
    await open.shows("ready");
    pty.writeNow(open.pair.master, Buffer.from("dropped"));
    pty.flushInput(open.pair.slave);
    pty.writeNow(open.pair.master, Buffer.from("kept"));
    await open.shows("kept");
    expect(open.text).not.toContain("dropped");
    await open.ends(pid);
  });
});

describe("a spawned program", () => {
  test("gets none of our descriptors and all signals at their defaults", async () => {
    using open = new OpenPty();
    const leak = openSync("/dev/null", "r");
    try {
      const pid = open.spawn("grep -E 'SigBlk|SigIgn' /proc/self/status; echo $(ls /proc/self/fd); ulimit -n; umask", {
        openFiles: 100,
        umask: 0o077,
      });
      expect(await open.ends(pid)).toEqual({ kind: "exited", code: 0 });
      const lines = open.read().split("\r\n");
      expect(lines[0]).toMatch(/SigBlk:\s0{16}$/);
      expect(lines[1]).toMatch(/SigIgn:\s0{7}[01]80000000$|SigIgn:\s0{16}$/);
      expect(lines.slice(2, 5)).toEqual(["0 1 2 3", "100", "0077"]);
    } finally {
      closeSync(leak);
    }
  });

  test("is reaped once, and only it", async () => {
    using open = new OpenPty();
    const other = Bun.spawn(["true"]);
    const pid = open.spawn("exit 42");
    expect(await open.ends(pid)).toEqual({ kind: "exited", code: 42 });
    expect(processes.reap(pid)).toEqual({ kind: "unknown" });
    expect(await other.exited).toBe(0);
  });

  test("that can't be started is told with its errno", () => {
    using open = new OpenPty();
    const options = { argv: ["x"], env: {}, cwd: "/tmp", terminal: open.pair.slavePath };
    expect(() => processes.spawn({ ...options, file: "/no/such/file" })).toThrow(
      expect.objectContaining({ code: "ENOENT", syscall: "posix_spawn" }),
    );
    expect(() => processes.spawn({ ...options, file: "/etc/passwd" })).toThrow(
      expect.objectContaining({ code: "EACCES" }),
    );
    expect(() => processes.spawn({ ...options, file: "/bin/true", cwd: "/no/such" })).toThrow(
      expect.objectContaining({ code: "ENOENT" }),
    );
  });
});

test("what a program is started with survives any collection of garbage meanwhile", async () => {
  const value = "v".repeat(50);
  for (let round = 0; round < 50; round += 1) {
    using open = new OpenPty();
    const env = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`NAME_${index}`, `${value}${index}`]));
    Bun.gc(false);
    const argv = ["sh", "-c", 'echo "$NAME_0 $NAME_39 $0 $1"', "zero", "é one"];
    const options = {
      file: "/bin/sh",
      argv,
      env,
      cwd: "/tmp",
      terminal: open.pair.slavePath,
      openFiles: 64,
      umask: 0o22,
    };
    const pid = processes.spawn(options);
    expect(await open.ends(pid)).toEqual({ kind: "exited", code: 0 });
    expect(Buffer.from(open.read(), "latin1").toString()).toBe(`${value}0 ${value}39 zero é one\r\n`);
  }
}, 20_000);
