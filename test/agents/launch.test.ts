import { describe, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import type { Host } from "../support/index.ts";
import {
  installRuntime,
  processesMentioning,
  StubAgent,
  startHost,
  stubPath,
  TempRoots,
  until,
  writeProfile,
} from "../support/index.ts";

const ASSIGNED = `[launch]
program = "alpha"
args = ["--plain"]
assign_args = ["--session-id", "{reference}"]
env = { ALPHA_FLAG = "1" }
[config_home]
variable = "ALPHA_HOME"
default = ".alpha"
[native_reference]
kind = "id"
strategy = "assigned"
[resume]
args = ["--resume", "{reference}"]
fork_args = ["--resume", "{reference}", "--fork"]
`;

const REPORTED = `[native_reference]
kind = "id"
strategy = "reported"
[resume]
args = ["--resume", "{reference}"]
`;

interface AgentRow {
  readonly agent: string;
  readonly agent_base?: string;
  readonly available: boolean;
  readonly supported?: boolean;
  readonly version?: string;
  readonly config_home_id?: string;
  readonly reason_code?: string;
  readonly reason?: string;
}

async function hostWithStubs(roots = new TempRoots(), config?: string): Promise<Host> {
  return await startHost({ roots, config, env: { PATH: stubPath(roots) } });
}

async function agentsOf(host: Host): Promise<Record<string, AgentRow>> {
  const { runtimes } = await host.call<{ runtimes: AgentRow[] }>("host.inspect");
  return Object.fromEntries(runtimes.map((row) => [row.agent, row]));
}

/** Whatever of a session could be there. */
async function tracesOf(host: Host): Promise<unknown> {
  const { runtime, state } = host.roots;
  const workers = [...host.workers().keys()];
  return [workers, await host.list(), readdirSync(join(runtime, "workers")), readdirSync(join(state, "workers"))];
}

async function refusalOf(host: Host, params: object): Promise<{ code: string; msg: string; recover?: string }> {
  await using client = await host.connect();
  const { err } = await client.ask("session.new", { cols: 80, rows: 24, ...params });
  if (err === undefined) throw new Error("the session was started");
  return err;
}

describe("a session of an agent", () => {
  test("runs what its package says, with a reference of ours, and keeps what a resume needs", async () => {
    await using host = await hostWithStubs();
    const stub = new StubAgent(host.roots, "alpha");
    await installRuntime(host, "alpha", ASSIGNED);
    const session = await host.newSession({ agent: "alpha", command: undefined });
    const { program, args, env, cwd } = await stub.start();
    const { native_session_id: reference } = session as unknown as { native_session_id: string };
    expect(reference).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect({ program, args, cwd }).toEqual({
      program: stub.program,
      args: ["--plain", "--session-id", reference],
      cwd: host.roots.home,
    });
    expect(env).toContain("ALPHA_FLAG=1");
    expect(session).toMatchObject({ agent: "alpha", agent_base: "alpha", capabilities: { resume: true, fork: true } });
    await host.restart();
    expect(await host.inspect(session.id)).toMatchObject({
      native_session_id: reference,
      capabilities: { resume: true, fork: true },
    });
  });

  test("is started from the very file that was asked for its version, under the name that it was found by", async () => {
    await using host = await hostWithStubs();
    const real = new StubAgent(host.roots, "real-alpha", 'printf "%s" "$0" > "$base.name"; exec cat');
    real.tellVersion("alpha 1.2.3");
    symlinkSync(real.program, join(host.roots.base, "bin", "alpha"));
    await installRuntime(host, "alpha");
    await host.newSession({ agent: "alpha", command: undefined });
    expect((await real.start()).program).toBe(real.program);
  });

  test("a command is for shells", async () => {
    await using host = await hostWithStubs();
    const stub = new StubAgent(host.roots, "alpha");
    await installRuntime(host, "alpha");
    expect((await refusalOf(host, { agent: "alpha", command: ["/bin/sh"] })).code).toBe("bad_request");
    expect(stub.wasStarted).toBe(false);
  });

  test("of a package that is switched off, or of a name that nothing has, is refused and leaves nothing", async () => {
    await using host = await hostWithStubs();
    new StubAgent(host.roots, "alpha");
    const digest = await installRuntime(host, "alpha");
    const before = await tracesOf(host);
    expect((await refusalOf(host, { agent: "nobody" })).code).toBe("agent_profile_not_found");
    writeProfile(host.roots, "mine", `agent_base = "alpha"\npackage = "example.alpha"\ndigest = "${digest}"\n`);
    await host.call("package.set_enabled", { digest, enabled: false });
    expect((await refusalOf(host, { agent: "mine" })).code).toBe("runtime_not_installed");
    expect((await agentsOf(host))["mine"]).toMatchObject({ available: false, reason_code: "runtime_not_installed" });
    expect(await tracesOf(host)).toEqual(before);
  });
});

describe("before anything of the session exists", () => {
  test.each([
    ["a version below the range", "alpha 0.9.9", 0, "0.9.9; its package was made for [1.0.0, 2.0.0)"],
    ["a version above the range", "alpha 2.0.0", 0, "2.0.0; its package was made for [1.0.0, 2.0.0)"],
    ["a pre-release", "alpha 1.5.0-secret.1", 0, "in the form that its package expects"],
    ["a text", "welcome to secret alpha", 0, "in the form that its package expects"],
    ["a failure", "alpha 1.2.3 secret", 3, "The installed version of the agent is not supported."],
  ])("%s is refused", async (_what, ...[output, exitCode, told]) => {
    await using host = await hostWithStubs();
    const stub = new StubAgent(host.roots, "alpha");
    await installRuntime(host, "alpha");
    expect((await agentsOf(host))["alpha"]).toMatchObject({ available: true, supported: true, version: "1.2.3" });
    const before = await tracesOf(host);
    stub.tellVersion(output, exitCode);
    const refusal = await refusalOf(host, { agent: "alpha" });
    expect(refusal.code).toBe("agent_runtime_unsupported");
    expect(refusal.msg).toContain(told);
    expect(JSON.stringify(refusal)).not.toContain("secret");
    expect(await tracesOf(host)).toEqual(before);
    expect(stub.wasStarted).toBe(false);
  });

  test("a missing program is told by its name, and nothing is asked", async () => {
    await using host = await hostWithStubs();
    await installRuntime(host, "alpha");
    const before = await tracesOf(host);
    const { code, msg } = await refusalOf(host, { agent: "alpha" });
    expect({ code, msg }).toEqual({
      code: "agent_binary_missing",
      msg: 'the program "alpha" is not installed on this host',
    });
    const listed = (await agentsOf(host))["alpha"];
    expect(listed).toMatchObject({ available: false, reason_code: "agent_binary_missing" });
    expect(listed).not.toHaveProperty("version");
    expect(listed).not.toHaveProperty("supported");
    expect(await tracesOf(host)).toEqual(before);
  });

  test("the probe sees a home of its own and the PATH of the session, and nothing else", async () => {
    await using host = await startHostWithSecret();
    const stub = new StubAgent(host.roots, "alpha");
    await installRuntime(host, "alpha");
    await host.newSession({ agent: "alpha", command: undefined });
    const [folder = "", ...lines] = stub.probed;
    const names = lines.filter((line) => line.includes("=")).map((line) => line.split("=")[0]);
    // PWD is the shell's own.
    const shells = new Set(["PWD", "OLDPWD", "SHLVL", "_"]);
    expect(new Set(names.filter((name) => !shells.has(name ?? "")))).toEqual(
      new Set([
        "PATH",
        "HOME",
        "XDG_CONFIG_HOME",
        "XDG_DATA_HOME",
        "XDG_STATE_HOME",
        "XDG_CACHE_HOME",
        "XDG_RUNTIME_DIR",
        "TMPDIR",
      ]),
    );
    expect(lines).toContain(`HOME=${folder}`);
    expect(folder).not.toContain(host.roots.home);
    expect(existsSync(folder)).toBe(false);
    expect(lines.some((line) => line === `PATH=${stubPath(host.roots)}`)).toBe(true);
  });

  test("what a program leaves running when it is asked is ended, and does not hold the answer up", async () => {
    await using host = await hostWithStubs();
    const stub = new StubAgent(host.roots, "alpha");
    const marker = join(host.roots.base, "left-by-probe");
    stub.whenAsked(`sh -c 'exec sleep 1000' ${marker} & setsid sh -c 'sleep 2' ${marker} &`);
    await installRuntime(host, "alpha");
    const startedAt = performance.now();
    expect((await agentsOf(host))["alpha"]).toMatchObject({ supported: true, version: "1.2.3" });
    expect(performance.now() - startedAt).toBeLessThan(1900);
  });

  test("a program that is being asked when the daemon ends is ended with it", async () => {
    await using host = await hostWithStubs();
    const stub = new StubAgent(host.roots, "alpha");
    stub.whenAsked("exec sleep 1000");
    await installRuntime(host, "alpha");
    await using client = await host.connect();
    client.sendLine({
      v: { minimum: 4, maximum: 4 },
      id: "n",
      method: "session.new",
      params: { agent: "alpha", cols: 80, rows: 24 },
    });
    const folder = await until("the program to be asked", () => stub.probed[0]);
    const startedAt = performance.now();
    expect(await host.stop()).toBe(0);
    expect(performance.now() - startedAt).toBeLessThan(4000);
    expect(existsSync(folder)).toBe(false);
    expect(processesMentioning(folder)).toEqual([]);
    await host.start();
    expect(await host.list()).toEqual([]);
  });

  test("a program that prints without end is stopped", async () => {
    await using host = await hostWithStubs();
    new StubAgent(host.roots, "alpha").whenAsked("exec yes");
    await installRuntime(host, "alpha");
    expect((await refusalOf(host, { agent: "alpha" })).code).toBe("agent_runtime_unsupported");
    expect((await agentsOf(host))["alpha"]).toMatchObject({ available: true, supported: false });
  });

  test("a link that is turned to another program after the question changes nothing", async () => {
    await using host = await hostWithStubs();
    const link = join(host.roots.base, "bin", "alpha");
    const right = new StubAgent(host.roots, "right");
    const wrong = new StubAgent(host.roots, "wrong");
    right.tellVersion("alpha 1.2.3");
    symlinkSync(right.program, link);
    right.whenAsked(`ln -sfn ${wrong.program} ${link}`);
    await installRuntime(host, "alpha");
    await host.newSession({ agent: "alpha", command: undefined });
    expect((await right.start()).program).toBe(right.program);
    expect(wrong.wasStarted).toBe(false);
  });
});

async function startHostWithSecret(): Promise<Host> {
  const roots = new TempRoots();
  return await startHost({ roots, env: { PATH: stubPath(roots), ALPHA_TOKEN: "secret" } });
}

describe("the list of agents", () => {
  test("asks a program once, until its file changes", async () => {
    await using host = await hostWithStubs();
    const stub = new StubAgent(host.roots, "alpha");
    await installRuntime(host, "alpha");
    const asked = (): number => stub.probed.filter((line) => line.startsWith("HOME=")).length;
    await Promise.all([agentsOf(host), agentsOf(host)]);
    await agentsOf(host);
    expect(asked()).toBe(1);
    new StubAgent(host.roots, "alpha", "exec cat # another file");
    stub.tellVersion("alpha 1.9.9");
    expect((await agentsOf(host))["alpha"]?.version).toBe("1.9.9");
    expect(asked()).toBe(2);
  });

  test("finds programs in the folders of the settings, and so do their sessions", async () => {
    const roots = new TempRoots();
    const stub = new StubAgent(roots, "alpha");
    renameSync(join(roots.base, "bin"), join(roots.home, "tools"));
    await using host = await startHost({
      roots,
      config: '[agents]\npath = ["~/tools"]\n',
      env: { PATH: "/usr/bin:/bin" },
    });
    await installRuntime(host, "alpha");
    expect((await agentsOf(host))["alpha"]).toMatchObject({ available: true, version: "1.2.3" });
    await host.newSession({ agent: "alpha", command: undefined });
    expect((await stub.start()).env).toContain(`PATH=/usr/bin:/bin:${join(roots.home, "tools")}`);
  });

  test("gives one name to one home, on this host, and none without the key", async () => {
    await using host = await hostWithStubs();
    new StubAgent(host.roots, "alpha");
    const digest = await installRuntime(host, "alpha", ASSIGNED);
    const pin = `agent_base = "alpha"\npackage = "example.alpha"\ndigest = "${digest}"\n`;
    const home = join(host.roots.home, ".alpha");
    writeProfile(host.roots, "same", `${pin}[env]\nALPHA_HOME = "${home}/"\n`);
    writeProfile(host.roots, "work", `${pin}[env]\nALPHA_HOME = "/work"\n`);
    writeProfile(host.roots, "relative", `${pin}[env]\nALPHA_HOME = "work"\n`);
    const { alpha, same, work, relative } = await agentsOf(host);
    expect(alpha?.config_home_id).toMatch(/^[0-9a-f]{64}$/);
    expect(same?.config_home_id).toBe(String(alpha?.config_home_id));
    expect(work?.config_home_id).not.toBe(String(alpha?.config_home_id));
    expect(relative).toMatchObject({ available: false, reason_code: "invalid_profile" });
    expect(relative?.reason).toContain("env.ALPHA_HOME");
    chmodSync(join(host.roots.data, "profile-revision.key"), 0o644);
    const keyless = await agentsOf(host);
    expect(keyless["alpha"]).toMatchObject({ available: true });
    expect(keyless["alpha"]).not.toHaveProperty("config_home_id");
    expect((await host.newSession({ agent: "alpha", command: undefined })).id).toStartWith("s-");
    expect((await refusalOf(host, { agent: "work" })).code).toBe("agent_profile_revision_unavailable");
  });
});

test("a profile of a package runs with its own arguments after the reference, and its own account", async () => {
  await using host = await hostWithStubs();
  const stub = new StubAgent(host.roots, "alpha");
  const digest = await installRuntime(host, "alpha", ASSIGNED);
  writeProfile(
    host.roots,
    "work",
    `agent_base = "alpha"\npackage = "example.alpha"\ndigest = "${digest}"\nargs = ["--model", "big"]\n[env]\nALPHA_HOME = "/work"\n`,
  );
  const session = await host.newSession({ agent: "work", command: undefined });
  const { args, env } = await stub.start();
  expect([args.slice(0, 2), args.slice(3)]).toEqual([
    ["--plain", "--session-id"],
    ["--model", "big"],
  ]);
  expect(env).toContain("ALPHA_HOME=/work");
  expect(session).toMatchObject({ agent: "work", agent_base: "alpha", capabilities: { resume: true, fork: true } });
});

test("a profile says whether its sessions can be resumed: as the runtime, not at all, or in its own way", async () => {
  await using host = await hostWithStubs();
  new StubAgent(host.roots, "alpha");
  new StubAgent(host.roots, "beta");
  const pinOf = async (id: string, more: string): Promise<string> =>
    `agent_base = "${id}"\npackage = "example.${id}"\ndigest = "${await installRuntime(host, id, more)}"\n`;
  const alpha = await pinOf("alpha", ASSIGNED);
  const beta = await pinOf("beta", REPORTED);
  writeProfile(host.roots, "same", alpha);
  writeProfile(host.roots, "never", `${alpha}[resume]\nresumable = false\n`);
  writeProfile(host.roots, "own", `${beta}[resume]\nreference_kind = "path"\nargs = ["--from", "{reference}"]\n`);
  const fork = `args = ["{reference}"]\nfork_args = ["{reference}"]\n`;
  writeProfile(host.roots, "fork", `${beta}[resume]\nreference_kind = "id"\n${fork}`);
  const start = async (agent: string): Promise<unknown> => await host.newSession({ agent, command: undefined });
  expect(await start("same")).toMatchObject({ capabilities: { resume: true, fork: true } });
  expect(await start("never")).toMatchObject({ capabilities: { resume: false, fork: false } });
  expect(await start("own")).toMatchObject({ agent: "own", agent_base: "beta" });
  const refusal = await refusalOf(host, { agent: "fork" });
  expect(refusal.code).toBe("invalid_profile");
  expect(refusal.msg).toContain("resume.fork_args");
});

test("a profile that is called as a runtime starts neither, and is told", async () => {
  await using host = await hostWithStubs();
  const stub = new StubAgent(host.roots, "alpha");
  await installRuntime(host, "alpha");
  writeProfile(host.roots, "alpha", `program = "alpha"\n`);
  expect((await refusalOf(host, { agent: "alpha" })).code).toBe("invalid_profile");
  expect((await agentsOf(host))["alpha"]).toMatchObject({ available: false, reason_code: "invalid_profile" });
  expect(stub.wasStarted).toBe(false);
});

test.each([
  ["runtime_not_installed", `agent_base = "absent"\n`],
  ["invalid_profile", `agent_base = "alpha"\n`],
  ["invalid_profile", `agent_base = "No Name"\n`],
  ["runtime_incompatible", `agent_base = "alpha"\npackage = "example.other"\ndigest = "DIGEST"\n`],
  ["runtime_not_installed", `agent_base = "alpha"\npackage = "example.alpha"\ndigest = "sha256:${"0".repeat(64)}"\n`],
  ["invalid_profile", `package = "example.alpha"\ndigest = "DIGEST"\n`],
  ["invalid_profile", `[resume]\nresumable = false\n`],
  ["invalid_profile", `PIN[resume]\nreference_kind = "id"\nargs = ["{reference}"]\n`],
  ["invalid_profile", `PIN[input]\nsubmit_delay_ms = 5\n`],
])("a profile is refused with %s before anything exists: %#", async (code, text) => {
  await using host = await hostWithStubs();
  const stub = new StubAgent(host.roots, "alpha");
  const digest = await installRuntime(host, "alpha", ASSIGNED);
  const pin = `agent_base = "alpha"\npackage = "example.alpha"\ndigest = "${digest}"\n`;
  writeProfile(host.roots, "mine", text.replace("PIN", pin).replace("DIGEST", digest));
  const before = await tracesOf(host);
  const refusal = await refusalOf(host, { agent: "mine" });
  expect(refusal.code).toBe(code);
  expect(await tracesOf(host)).toEqual(before);
  expect(stub.probed).toEqual([]);
  expect((await agentsOf(host))["mine"]).toMatchObject({ available: false, reason_code: code });
});

test("a folder that can't be used is told before the program is asked for anything", async () => {
  await using host = await hostWithStubs();
  const stub = new StubAgent(host.roots, "alpha");
  await installRuntime(host, "alpha");
  const before = await tracesOf(host);
  const gone = join(host.roots.home, "gone");
  mkdirSync(gone);
  rmSync(gone, { recursive: true });
  const refusal = await refusalOf(host, { agent: "alpha", cwd: "~/gone" });
  expect(refusal.code).toBe("session_cwd_invalid");
  expect(refusal.msg).toContain(JSON.stringify(gone));
  expect(stub.probed).toEqual([]);
  expect(await tracesOf(host)).toEqual(before);
  const odd = join(host.roots.home, "with space\nand line");
  mkdirSync(odd);
  const session = await host.newSession({ agent: "alpha", command: undefined, cwd: "~/with space\nand line" });
  expect(session.cwd).toBe(odd);
});
