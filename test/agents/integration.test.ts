import { describe, expect, test } from "bun:test";
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  installRuntime,
  programCommand,
  RawClient,
  StubAgent,
  startHost,
  TempRoots,
  writeProfile,
} from "../support/index.ts";
import { look, newReporter, REPORTER_TABLES, startReporting, tell } from "./support/reporting-agent.ts";

interface Answer {
  readonly installed?: readonly { agent: string; config_paths: string[]; home?: { profiles: string[] } }[];
  readonly failed?: readonly { agent: string; error: { code: string } }[];
  readonly agents: readonly { agent: string; state: string; findings?: { code: string }[]; ok?: boolean }[];
  readonly uninstalled?: readonly { removed_paths: string[]; updated_paths: string[] }[];
}

const OWN = `{
  "model": "opus",
  "hooks": {
    "Stop": [{ "hooks": [{ "type": "command", "command": "say done" }] }]
  }
}
`;

/** The reporter's default home below HOME, with settings of its user's. */
function makeHome(roots: TempRoots, name = ".reporter", settings = OWN): string {
  const home = join(roots.home, name);
  mkdirSync(home, { recursive: true, mode: 0o700 });
  writeFileSync(join(home, "settings.json"), settings, { mode: 0o640 });
  return home;
}

/** Every file below a folder, with its content. */
function treeOf(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name !== "ballast");
  return Object.fromEntries(
    names
      .filter((name) => lstatSync(join(folder, name)).isFile())
      .map((name) => [name, readFileSync(join(folder, name), "utf8")]),
  );
}

describe("hooks", () => {
  test("that were installed report what really happens, and go without a trace", async () => {
    await using stage = await startReporting();
    const { host, roots } = stage;
    const home = makeHome(roots);
    const path = join(home, "settings.json");
    const { agents } = await host.call<Answer>("integration.status");
    expect(agents.find(({ agent }) => agent === "reporter")?.state).toBe("not_installed");
    expect(await host.call<Answer>("integration.install", { agent: "reporter" })).toMatchObject({
      installed: [{ agent: "reporter", config_paths: [path] }],
    });
    const written = JSON.parse(readFileSync(path, "utf8")) as {
      model: string;
      hooks: Record<string, { hooks: { command: string }[] }[]>;
    };
    expect([written.model, written.hooks["Stop"]?.[0]?.hooks[0]?.command]).toEqual(["opus", "say done"]);
    expect(lstatSync(path).mode & 0o777).toBe(0o640);
    writeFileSync(join(roots.home, "begin"), written.hooks["SessionStart"]?.[0]?.hooks[0]?.command ?? "exit 9");
    const session = await newReporter(host);
    expect(await tell(host, session.id, 'run begin {"session_id":"through-settings"}')).toContain("exit=0");
    expect((await look(host, session.id)).native_session_id).toBe("through-settings");
    const again = readFileSync(path, "utf8");
    await host.call("integration.install", { agent: "reporter" });
    expect(readFileSync(path, "utf8")).toBe(again);
    expect((await host.call<Answer>("integration.status", { agent: "reporter" })).agents).toMatchObject([
      { state: "current" },
    ]);
    writeFileSync(path, again.replaceAll("pohunek' hook", "older' hook"));
    const doctor = await host.call<Answer>("integration.doctor", { agent: "reporter" });
    expect(doctor.agents).toMatchObject([{ ok: false, findings: [{ code: "hooks_outdated" }] }]);
    expect(await host.call<Answer>("integration.uninstall", { agent: "reporter" })).toMatchObject({
      uninstalled: [{ removed_paths: [], updated_paths: [path] }],
    });
    expect(treeOf(home)).toEqual({ "settings.json": OWN });
  });

  test("follow a link to where the settings really are, and spare what is no settings", async () => {
    await using stage = await startReporting();
    const { host, roots } = stage;
    const home = makeHome(roots, "dotfiles");
    mkdirSync(join(roots.home, ".reporter"));
    const link = join(roots.home, ".reporter", "settings.json");
    symlinkSync(join(home, "settings.json"), link);
    await host.call("integration.install", { agent: "reporter" });
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(home, "settings.json"), "utf8")).toContain("hook claude SessionStart");
    writeFileSync(link, '{"hooks": 1}');
    expect(await host.refusal("integration.install", { agent: "reporter" })).toBe("integration_settings_invalid");
    expect(readFileSync(link, "utf8")).toBe('{"hooks": 1}');
  });

  test("are not half installed when the disk is full", async () => {
    await using stage = await startReporting();
    const { host, roots } = stage;
    const disk = roots.smallDisk(join(roots.home, ".reporter"), { kib: 64 });
    const home = makeHome(roots);
    const before = treeOf(home);
    disk.fill();
    expect(await host.refusal("integration.install", { agent: "reporter" })).toBe("integration_io_failed");
    expect(treeOf(home)).toEqual(before);
    disk.empty();
    await host.call("integration.install", { agent: "reporter" });
    disk.fill();
    const installed = treeOf(home);
    expect(await host.refusal("integration.uninstall", { agent: "reporter" })).toBe("integration_io_failed");
    expect(treeOf(home)).toEqual(installed);
  });
});

describe("the configuration home", () => {
  test("is the profile's, else the daemon's, else the default; of all profiles each is its own act", async () => {
    const roots = new TempRoots();
    const own = join(roots.home, "of daemon");
    mkdirSync(own);
    await using stage = await startReporting("named_for_provider", { env: { REPORTER_HOME: own } });
    const { host } = stage;
    const install = async (params: object): Promise<Answer> => await host.call<Answer>("integration.install", params);
    expect((await install({ agent: "reporter" })).installed?.[0]?.config_paths).toEqual([join(own, "settings.json")]);
    const { digest } = stage;
    const write = (name: string, home: string): string =>
      writeProfile(
        stage.roots,
        name,
        `agent_base = "reporter"\npackage = "example.reporter"\ndigest = "${digest}"\n[env]\nREPORTER_HOME = "${home}"\nTOKEN = "SENTINEL"\n`,
      );
    const first = makeHome(stage.roots, "first");
    const second = makeHome(stage.roots, "second", "no settings");
    write("one", first);
    write("two", second);
    expect((await install({ profile: "one" })).installed).toMatchObject([
      { agent: "one", config_paths: [join(first, "settings.json")], home: { profiles: ["one"] } },
    ]);
    const all = await install({ all_profiles: true });
    expect(all.installed?.map(({ home }) => home?.profiles)).toEqual([["one"]]);
    expect(all.failed?.map(({ error }) => error.code)).toEqual(["integration_settings_invalid"]);
    const status = await host.call<Answer>("integration.status", { all_profiles: true });
    expect(JSON.stringify([all, status])).not.toContain("SENTINEL");
    const cli = Bun.spawn(programCommand("integration", "install", "--all-profiles"), {
      env: stage.roots.environment(),
      stdout: "pipe",
      stderr: "pipe",
    });
    const printed = await new Response(cli.stdout).text();
    expect(await cli.exited).toBe(1);
    expect(printed).toContain("one: hooks in ");
    await host.stop();
    await host.start({ REPORTER_HOME: "~/relative" });
    expect(await host.refusal("integration.install", { agent: "reporter" })).toBe("agent_config_dir_invalid");
    expect(await host.refusal("integration.install", { agent: "nobody" })).toBe("agent_not_installable");
    roots[Symbol.dispose]();
  });

  test("of several agents is changed for one that is named only", async () => {
    await using stage = await startReporting();
    const { host, roots } = stage;
    void new StubAgent(roots, "second");
    await installRuntime(host, "second", REPORTER_TABLES("named_for_provider"));
    const home = makeHome(roots);
    const { failed } = await host.call<Answer>("integration.install", {});
    expect(failed).toMatchObject([{ error: { code: "integration_home_ambiguous_owner" } }]);
    expect(treeOf(home)).toEqual({ "settings.json": OWN });
    expect((await host.call<Answer>("integration.install", { agent: "second" })).installed).toHaveLength(1);
  });

  test("of profiles is nothing that another host may choose", async () => {
    await using stage = await startReporting("named_for_provider", {
      config: '[overlay.mesh]\naddress = "127.0.0.1"\nport = 0\n',
    });
    const listening = stage.host.log().find(({ event, overlay }) => event === "listening" && overlay === "mesh");
    const port = Number(String(listening?.["address"]).split(":").at(-1));
    await using far = await RawClient.connect({ hostname: "127.0.0.1", port });
    expect(await far.refusal("integration.status", { all_profiles: true })).toBe("local_only_method");
    expect(await far.refusal("integration.install", { profile: "one" })).toBe("local_only_method");
  });
});

test("hooks of an agent whose package is gone are found and taken out, and not installed", async () => {
  await using host = await startHost({ roots: new TempRoots() });
  const { roots } = host;
  const command = `test -z "$POHUNEK_SESSION_ID" || '/old/pohunek' hook codex SessionStart || true`;
  const home = join(roots.home, ".codex");
  mkdirSync(home);
  const path = join(home, "hooks.json");
  writeFileSync(path, JSON.stringify({ hooks: { SessionStart: [{ hooks: [{ type: "command", command }] }] } }));
  const packages = await host.call<{ packages: { digest: string }[] }>("package.list");
  for (const { digest } of packages.packages) await host.call("package.uninstall", { digest, remove_modified: false });
  const doctor = await host.call<Answer>("integration.doctor", { agent: "codex" });
  expect(doctor.agents).toMatchObject([{ findings: [{ code: "hooks_left_over" }] }]);
  expect(await host.refusal("integration.install", { agent: "codex" })).toBe("agent_not_installable");
  const { uninstalled = [] } = await host.call<Answer>("integration.uninstall");
  expect(uninstalled.flatMap((each) => each.removed_paths)).toEqual([path]);
  expect(existsSync(path)).toBe(false);
});
