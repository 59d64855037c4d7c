import { describe, expect, test } from "bun:test";
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { RawClient, runDaemon, startHost, TempRoots, until } from "../support/index.ts";

interface Inspection {
  readonly supported_agents: readonly string[];
  readonly runtimes: readonly { readonly agent: string }[];
}

describe("a daemon that may not start", () => {
  test("says what is wrong with the configuration and opens no socket", async () => {
    using roots = new TempRoots();
    roots.writeConfig("[output]\nring_bytes = 12\n");
    const { code, stderr } = await runDaemon(roots.environment());
    expect(code).toBe(1);
    expect(stderr).toContain("output.ring_bytes");
    expect(stderr).toContain("config_invalid");
    expect(existsSync(roots.socket)).toBe(false);
  });

  test.each([
    ["unset", undefined],
    ["empty", ""],
    ["relative", "run"],
    ["missing", "/nonexistent-runtime-dir"],
  ])("refuses an XDG_RUNTIME_DIR that is %s", async (_name, value) => {
    using roots = new TempRoots();
    const { XDG_RUNTIME_DIR: _, ...env } = roots.environment({ TMPDIR: roots.base });
    const { code, stderr } = await runDaemon(value === undefined ? env : { ...env, XDG_RUNTIME_DIR: value });
    expect(code).toBe(1);
    expect(stderr).toContain("paths_unavailable");
    expect(existsSync(roots.state)).toBe(false);
    expect(existsSync(roots.data)).toBe(false);
  });

  test.each([46, 95])(
    "refuses a runtime folder of %i bytes before it creates anything, naming path and limit",
    async (bytes) => {
      using roots = new TempRoots();
      const runtime = join(roots.base, "r".repeat(bytes - roots.base.length - 1));
      mkdirSync(runtime, { mode: 0o700 });
      const { code, stderr } = await runDaemon(roots.environment({ XDG_RUNTIME_DIR: runtime }));
      expect(code).toBe(1);
      expect(stderr).toContain(`the socket path ${runtime}/`);
      expect(stderr).toContain(`has ${bytes + 58} bytes, but a socket path may have 103`);
      expect(readdirSync(runtime)).toEqual([]);
      expect(existsSync(roots.data)).toBe(false);
    },
  );

  test("refuses what is not a socket in the place of its socket", async () => {
    using roots = new TempRoots();
    mkdirSync(roots.runtime, { recursive: true });
    writeFileSync(roots.socket, "mine");
    const { code, stderr } = await runDaemon(roots.environment());
    expect(code).toBe(1);
    expect(stderr).toContain("not a socket");
    expect(stderr).toContain("Move the file away.");
    expect(lstatSync(roots.socket).isFile()).toBe(true);
  });

  test("answers a wrong command line with its usage", async () => {
    using roots = new TempRoots();
    const { code, stderr } = await runDaemon(roots.environment(), ["--nonsense"]);
    expect(code).toBe(2);
    expect(stderr).toContain("usage: pohunekd");
  });
});

describe("two daemons", () => {
  test.each([
    ["state", "XDG_STATE_HOME", "s"],
    ["data", "XDG_DATA_HOME", "d"],
    ["runtime", "XDG_RUNTIME_DIR", "r"],
  ])("can't share the %s root alone", async (_name, variable, folder) => {
    await using host = await startHost();
    using other = new TempRoots();
    const env = { ...other.environment(), [variable]: join(host.roots.base, folder) };
    const { code, stderr } = await runDaemon(env);
    expect(code).toBe(1);
    expect(stderr).toContain("daemon_already_running");
    expect(await host.call<unknown>("daemon.health")).toMatchObject({ status: "ok" });
  });

  test("with roots of their own know nothing of each other's sessions", async () => {
    await using first = await startHost();
    await using second = await startHost();
    const session = await first.newSession();
    expect((await first.list()).map(({ id }) => id)).toEqual([session.id]);
    expect(await second.list()).toEqual([]);
    expect(await second.refusal("session.inspect", session.id)).toBe("session_not_found");
  });
});

describe("a running daemon", () => {
  test("keeps its folders and its socket private, and makes the layout of a fresh install", async () => {
    await using host = await startHost();
    const { roots } = host;
    for (const folder of [
      roots.data,
      join(roots.data, "events"),
      roots.state,
      join(roots.state, "logs"),
      join(roots.state, "workers"),
      roots.runtime,
      join(roots.runtime, "workers"),
    ]) {
      expect(statSync(folder).mode & 0o777).toBe(0o700);
    }
    expect(lstatSync(roots.socket).isSocket()).toBe(true);
    expect(lstatSync(roots.socket).mode & 0o777).toBe(0o600);
    expect(statSync(join(roots.data, "store.sqlite3")).mode & 0o777).toBe(0o600);
    expect(statSync(roots.daemonLog).mode & 0o777).toBe(0o600);
    expect(existsSync(roots.config)).toBe(false);
  });

  test("ends with 0 within five seconds of SIGTERM and takes its socket away", async () => {
    await using host = await startHost();
    await using idle = await host.connect();
    await using subscriber = await host.subscribe();
    const startedAt = performance.now();
    expect(await host.stop()).toBe(0);
    expect(performance.now() - startedAt).toBeLessThan(5000);
    expect(existsSync(host.roots.socket)).toBe(false);
    await Promise.all([idle.closed, subscriber.closed]);
  });

  test("replaces the socket that a killed daemon left", async () => {
    await using host = await startHost();
    await host.kill();
    expect(lstatSync(host.roots.socket).isSocket()).toBe(true);
    await host.start();
    expect(await host.call<unknown>("daemon.health")).toMatchObject({ status: "ok" });
  });

  test("tells a service manager that it is ready only when connections are accepted", async () => {
    using roots = new TempRoots();
    const address = join(roots.base, "notify");
    const receiver = Bun.spawn(
      [
        "python3",
        "-c",
        "import socket,sys;s=socket.socket(socket.AF_UNIX,socket.SOCK_DGRAM);s.bind(sys.argv[1]);print('bound',flush=True);print(s.recv(100).decode(),flush=True)",
        address,
      ],
      { stdout: "pipe", stderr: "inherit" },
    );
    await until("the stand-in to listen", () => existsSync(address));
    await using host = await startHost({ env: { NOTIFY_SOCKET: address }, roots: new TempRoots() });
    expect(await receiver.stdout.text()).toBe("bound\nREADY=1\n");
    const events = host.log().map(({ event }) => event);
    expect(events.indexOf("reconciled")).toBeLessThan(events.indexOf("ready"));
  });

  test("tells its version on every connection, in the version of that connection", async () => {
    await using host = await startHost();
    for (const version of [3, 4]) {
      await using client = await host.connect();
      client.sendLine({ v: { minimum: version, maximum: version }, id: "h", method: "daemon.health" });
      const answer = await client.nextAnswer();
      expect(answer).toMatchObject({ v: version, id: "h", ok: { status: "ok", protocol_version: version } });
      client.sendLine({ v: { minimum: version, maximum: version }, id: "i", method: "host.inspect" });
      const { supported_agents: names, runtimes, ...facts } = (await client.nextAnswer()).ok as Inspection;
      expect(names).toEqual(runtimes.map(({ agent }) => agent));
      expect(runtimes[0]).toMatchObject({ agent: "shell", available: true, supported: true, path: "/bin/bash" });
      expect(facts).toMatchObject({
        protocol_version: version,
        terminal_read_supported: true,
        output_read_supported: true,
        session_wait_supported: true,
      });
    }
    expect(await host.call<unknown>("host.discover", { force: true })).toEqual([]);
    expect(await host.call<unknown>("host.discover")).toEqual([]);
  });

  test("has a doctor that finds nothing wrong but that there is no agent, and names no path", async () => {
    await using host = await startHost({ env: { PATH: "/usr/bin:/bin" } });
    const { report } = await host.call<{
      report: { overall: string; checks: { name: string; status: string; detail: string }[] };
    }>("daemon.doctor");
    const notices = report.checks.filter(({ status }) => status !== "ok");
    expect(notices).toMatchObject([{ name: "agents", status: "warn" }]);
    expect(notices[0]?.detail).toStartWith("not installed: ");
    expect(report.overall).toBe("warn");
    expect(JSON.stringify(report)).not.toContain(host.roots.base);
    expect(await host.refusal("daemon.doctor", {})).toBe("bad_request");
  });

  test("serves a network address exactly as its socket, and no other address", async () => {
    await using host = await startHost({ config: '[overlay.mesh]\naddress = "127.0.0.1"\nport = 0\n' });
    const listening = host.log().find(({ event, overlay }) => event === "listening" && overlay === "mesh");
    const port = Number(String(listening?.["address"]).split(":").at(-1));
    await using remote = await RawClient.connect({ hostname: "127.0.0.1", port });
    await using local = await host.connect();
    for (const request of [
      { v: { minimum: 3, maximum: 4 }, id: "a", method: "daemon.health" },
      { v: { minimum: 3, maximum: 4 }, id: "b", method: "nonsense" },
      { v: 4, id: "c", method: "daemon.health" },
      { v: { minimum: 4, maximum: 4 }, id: "d", method: "session.list", params: null },
    ]) {
      local.sendLine(request);
      remote.sendLine(request);
      expect(await remote.nextLine()).toBe(await local.nextLine());
    }
    // Column 2 is the local address in hexadecimal, state 0A is listening.
    const sockets = ["/proc/net/tcp", "/proc/net/tcp6"].flatMap((table) =>
      readFileSync(table, "utf8").split("\n").slice(1),
    );
    const listeners = sockets.map((row) => row.trim().split(/\s+/)).filter(([, , , state]) => state === "0A");
    const hex = port.toString(16).toUpperCase().padStart(4, "0");
    expect(listeners.map(([, address]) => address).filter((address) => address?.endsWith(`:${hex}`))).toEqual([
      `0100007F:${hex}`,
    ]);
  });

  test("starts without an overlay whose address is not there, and says so", async () => {
    await using host = await startHost({ config: '[overlay.mesh]\naddress = "192.0.2.1"\nport = 0\n' });
    const { report } = await host.call<{ report: { checks: { name: string; status: string; detail: string }[] } }>(
      "daemon.doctor",
    );
    expect(report.checks.find(({ name }) => name === "overlays")).toMatchObject({ status: "warn" });
  });
});

test("a fresh start finds the folders of another user and refuses them", async () => {
  using roots = new TempRoots();
  mkdirSync(roots.data, { recursive: true });
  await Bun.$`chown 65534 ${roots.data}`.quiet();
  const { code, stderr } = await runDaemon(roots.environment());
  expect(code).toBe(1);
  expect(stderr).toContain("not a folder of this user");
  rmSync(roots.data, { recursive: true });
});
