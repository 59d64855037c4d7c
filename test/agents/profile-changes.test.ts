import { describe, expect, test } from "bun:test";
import { chmodSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runCli, runJson } from "../cli/support/index.ts";
import type { Host, SessionFacts } from "../support/index.ts";
import {
  installRuntime,
  RawClient,
  StubAgent,
  startHost,
  stubPath,
  TempRoots,
  writeProfile,
} from "../support/index.ts";

const RESUMABLE = `[native_reference]
kind = "id"
strategy = "assigned"
[resume]
args = ["--resume", "{reference}"]
fork_args = ["--fork", "{reference}"]
[launch]
program = "alpha"
assign_args = ["--id", "{reference}"]
`;

interface Stage extends AsyncDisposable {
  readonly host: Host;
  readonly stub: StubAgent;
  readonly digest: string;
  /** The text of a profile that is bound to the runtime. */
  readonly profile: (rest: string) => string;
}

async function stage(config?: string): Promise<Stage> {
  const roots = new TempRoots();
  const host = await startHost({ roots, config, env: { PATH: stubPath(roots) } });
  const stub = new StubAgent(roots, "alpha");
  const digest = await installRuntime(host, "alpha", RESUMABLE);
  const profile = (rest: string): string =>
    `agent_base = "alpha"\npackage = "example.alpha"\ndigest = "${digest}"\n${rest}`;
  return { host, stub, digest, profile, [Symbol.asyncDispose]: () => host[Symbol.asyncDispose]() };
}

async function endedSession(host: Host, agent: string): Promise<SessionFacts> {
  const session = await host.newSession({ agent, command: undefined });
  await host.call("session.stop", session.id);
  return session;
}

/** The code that a resume is refused with. */
async function resumeRefusal(host: Host, id: string, accepts = false): Promise<string> {
  return await host.refusal("session.resume", accepts ? { session_id: id, accept_profile_change: true } : id);
}

describe("a session of a profile", () => {
  test("goes on with the profile that it was started from, over a restart of the daemon", async () => {
    await using on = await stage();
    writeProfile(on.host.roots, "work", on.profile(`args = ["--old"]\n[env]\nTOKEN = "one"\n`));
    const session = await endedSession(on.host, "work");
    await on.host.restart();
    on.stub.forgetStart();
    await on.host.call("session.resume", session.id);
    const { args, env } = await on.stub.start();
    expect([args[0], args[2]]).toEqual(["--resume", "--old"]);
    expect(env).toContain("TOKEN=one");
  });

  test.each([
    ["variable", `args = ["--old"]\n[env]\nTOKEN = "two"\n`],
    ["argument", `args = ["--new"]\n[env]\nTOKEN = "one"\n`],
    ["comment", `args = ["--old"]\n[env]\nTOKEN = "one" # mine\n`],
    ["fault", `args = "--old"\n`],
  ])("is not resumed or forked when a %s was changed", async (_what, edited) => {
    await using on = await stage();
    writeProfile(on.host.roots, "work", on.profile(`args = ["--old"]\n[env]\nTOKEN = "one"\n`));
    const session = await endedSession(on.host, "work");
    on.stub.forgetStart();
    writeProfile(on.host.roots, "work", on.profile(edited));
    expect(await resumeRefusal(on.host, session.id)).toBe("agent_profile_changed");
    const fork = { session_id: session.id, cols: 80, rows: 24 };
    expect(await on.host.refusal("session.fork", fork)).toBe("agent_profile_changed");
    expect(on.stub.wasStarted).toBe(false);
    expect(await on.host.inspect(session.id)).toMatchObject({ state: "stopped" });
  });

  test("takes the change when its owner accepts it: new variables, old arguments, and no question the next time", async () => {
    await using on = await stage();
    writeProfile(on.host.roots, "work", on.profile(`args = ["--old"]\n[env]\nTOKEN = "one"\n`));
    const { id } = await endedSession(on.host, "work");
    writeProfile(on.host.roots, "work", on.profile(`args = ["--new"]\n[env]\nTOKEN = "two"\n`));
    on.stub.forgetStart();
    const accepted = await runCli(on.host.roots, ["resume", id, "--accept-profile-change"]);
    expect(accepted.code).toBe(0);
    const { args, env } = await on.stub.start();
    expect([args[0], args[2]]).toEqual(["--resume", "--old"]);
    expect(env).toContain("TOKEN=two");
    await on.host.call("session.stop", id);
    expect((await on.host.call<{ session: SessionFacts }>("session.resume", id)).session.state).toBe("running");
  });

  test("is refused without its profile, its revision or the key, whatever is accepted", async () => {
    await using on = await stage();
    const path = writeProfile(on.host.roots, "work", on.profile(""));
    const { id } = await endedSession(on.host, "work");
    const key = join(on.host.roots.data, "profile-revision.key");
    chmodSync(key, 0o644);
    expect(await resumeRefusal(on.host, id)).toBe("agent_profile_revision_unavailable");
    chmodSync(key, 0o600);
    const text = readFileSync(path, "utf8");
    rmSync(path);
    expect(await resumeRefusal(on.host, id)).toBe("agent_profile_missing");
    expect(await resumeRefusal(on.host, id, true)).toBe("agent_profile_missing");
    writeProfile(on.host.roots, "work", text);
    expect((await on.host.call<{ session: SessionFacts }>("session.resume", id)).session.state).toBe("running");
  });

  test("may not be changed from another host", async () => {
    await using on = await stage('[overlay.mesh]\naddress = "127.0.0.1"\nport = 0\n');
    writeProfile(on.host.roots, "work", on.profile(""));
    const { id } = await endedSession(on.host, "work");
    writeProfile(on.host.roots, "work", on.profile("# edited\n"));
    const listening = on.host.log().find(({ event, overlay }) => event === "listening" && overlay === "mesh");
    const port = Number(String(listening?.["address"]).split(":").at(-1));
    await using remote = await RawClient.connect({ hostname: "127.0.0.1", port });
    const params = { session_id: id, accept_profile_change: true };
    expect(await remote.refusal("session.resume", params)).toBe("agent_profile_change_local_only");
  });

  test("goes on when its package is switched off, while nothing new starts with it", async () => {
    await using on = await stage();
    writeProfile(on.host.roots, "work", on.profile(""));
    const { id } = await endedSession(on.host, "work");
    await on.host.call("package.set_enabled", { digest: on.digest, enabled: false });
    const fresh = { agent: "work", cols: 80, rows: 24 };
    expect(await on.host.refusal("session.new", fresh)).toBe("runtime_not_installed");
    expect((await on.host.call<{ session: SessionFacts }>("session.resume", id)).session.state).toBe("running");
  });
});

describe("binding a profile to its package", () => {
  test("is done by one command, told by the refusal of a profile without it, and counts as a use of the package", async () => {
    await using on = await stage();
    const { roots } = on.host;
    const text = `# mine\nagent_base = "alpha"\n[env]\nTOKEN = "one"\n`;
    const path = writeProfile(roots, "work", text);
    const refused = await runJson(roots, ["new", "--agent", "work"]);
    expect(refused.err).toMatchObject({ code: "invalid_profile", recover: "pohunek plugin profile migrate work" });
    const preview = await runCli(roots, ["plugin", "profile", "migrate", "work", "--dry-run"]);
    expect(preview.stdout).toBe("work would be bound to example.alpha 1.0.0\n");
    expect(readFileSync(path, "utf8")).toBe(text);
    const bound = await runJson<{ status: string; base: string }>(roots, ["plugin", "profile", "migrate", "work"]);
    expect(bound.ok).toMatchObject({ status: "bound", base: "alpha", package: { referenced: true } });
    expect(readFileSync(path, "utf8")).toBe(on.profile("").replace('agent_base = "alpha"\n', "") + text);
    expect((await runCli(roots, ["plugin", "profile", "migrate", "work"])).stdout).toContain("is bound already to");
    expect((await runJson(roots, ["new", "--agent", "work"])).code).toBe(0);
    const removal = { digest: on.digest, remove_modified: false };
    expect(await on.host.refusal("package.uninstall", removal)).toBe("package_referenced");
  });

  test("is refused for what there is nothing to bind", async () => {
    await using on = await stage();
    const { roots } = on.host;
    writeProfile(roots, "plain", "");
    writeProfile(roots, "absent", `agent_base = "nowhere"\n`);
    writeFileSync(writeProfile(roots, "faulty", ""), "args = 5\n");
    const codes = ["nobody", "plain", "absent", "faulty"].map(
      async (name) => (await runJson(roots, ["plugin", "profile", "migrate", name])).err.code,
    );
    expect(await Promise.all(codes)).toEqual([
      "agent_profile_not_found",
      "invalid_profile",
      "runtime_not_installed",
      "invalid_profile",
    ]);
  });
});

test("the doctor looks at each profile, tells what keeps it from starting, and prints nothing that it holds", async () => {
  await using on = await stage();
  const { roots } = on.host;
  const secret = "sentinel-0815";
  writeProfile(roots, "fine", on.profile(`args = ["${secret}"]\n[env]\nTOKEN = "${secret}"\n`));
  chmodSync(writeProfile(roots, "open", on.profile("")), 0o644);
  chmodSync(writeProfile(roots, "unsafe", on.profile("")), 0o666);
  writeProfile(roots, "faulty", `[env]\nTOKEN = ${secret}\n`);
  writeProfile(roots, "gone", `program = "no-such-tool"\n`);
  const { report } = await on.host.call<{ report: { checks: { name: string; status: string; detail: string }[] } }>(
    "daemon.doctor",
  );
  const found = Object.fromEntries(report.checks.map((check) => [check.name, check]));
  const profiles = ["fine", "open", "unsafe", "faulty", "gone"].map((name) => found[`agent_profile_${name}`]);
  expect(profiles.map((check) => check?.status)).toEqual(["ok", "warn", "fail", "fail", "fail"]);
  expect(profiles.map((check) => check?.detail)).toMatchObject([
    "can be launched, 1.2.3",
    "its file can be read by other users; mode 0600 is right",
    'profile "unsafe": its file can be changed by other users',
    'profile "faulty": Strings must be quoted (line 2)',
    'the program "no-such-tool" is not installed on this host',
  ]);
  expect(found["agents"]?.detail).toStartWith("alpha 1.2.3; not installed: ");
  expect(JSON.stringify(report)).not.toContain(secret);
  expect(JSON.stringify(report)).not.toContain(roots.base);
});
