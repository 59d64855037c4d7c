import { describe, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, watch, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { METHODS } from "@pohunek/protocol/wire";
import type { Host } from "../support/index.ts";
import {
  makeDemoPackage,
  programCommand,
  RawClient,
  startHost,
  TempRoots,
  until,
  writeDemoProgram,
} from "../support/index.ts";

interface Info {
  readonly digest: string;
  readonly package: { readonly id: string; readonly version: string };
  readonly runtime_id?: string;
  readonly origin: string;
  readonly enabled: boolean;
  readonly selected: boolean;
  readonly referenced: boolean;
  readonly fault?: string;
}

interface Installed {
  readonly status: string;
  readonly package: Info;
  readonly reloaded: boolean;
}

async function listed(host: Host): Promise<readonly Info[]> {
  const { packages } = await host.call<{ packages: Info[] }>("package.list");
  return packages;
}

async function install(host: Host, { archive, digest }: { archive: string; digest: string }): Promise<Installed> {
  const trust = { kind: "explicit_digest", digest };
  return await host.call("package.install", {
    archive_path: archive,
    trust,
    enable: true,
    select: true,
    dry_run: false,
  });
}

const start = (host: Host, agent: string) => host.newSession({ agent, command: undefined });
const startRefusal = (host: Host, agent: string) => host.refusal("session.new", { agent, cols: 80, rows: 24 });

async function screenOf(host: Host, sessionId: string): Promise<string> {
  return JSON.stringify(await host.call("session.screen", { session_id: sessionId }));
}

async function showsArguments(host: Host, sessionId: string, text: string): Promise<void> {
  await until(`the screen to show ${text}`, async () =>
    (await screenOf(host, sessionId)).includes(`demo runs: ${text}`),
  );
}

describe("the packages that came with the program", () => {
  test("are there when they are first asked for, each for one agent, official and whole", async () => {
    await using host = await startHost();
    const packages = await listed(host);
    const folders = readdirSync(join(import.meta.dir, "../../runtimes")).toSorted();
    expect(packages.map(({ runtime_id: id }) => id)).toEqual(folders);
    for (const info of packages) {
      expect(info).toMatchObject({ origin: "official", enabled: true, selected: true, referenced: false });
      expect(info.package.id).toBe(`pohunek.runtime.${info.runtime_id}`);
      expect(info.fault).toBeUndefined();
    }
    const { runtimes } = await host.call<{ runtimes: { agent: string }[] }>("host.inspect");
    expect(runtimes.map(({ agent }) => agent).toSorted()).toEqual([...folders, "shell"].toSorted());
  });

  test("are there soon after the start also when nobody asks", async () => {
    await using host = await startHost();
    const registry = join(host.roots.data, "packages/registry.json");
    await until(
      "the packages to be installed",
      () => existsSync(registry) && /"applied": "sha256:/.test(readFileSync(registry, "utf8")),
    );
    expect(host.log().filter(({ event }) => event === "official_package")).not.toEqual([]);
  });

  test("can be installed before any daemon runs, and only once", async () => {
    const roots = new TempRoots();
    const ensure = (...more: string[]): string => {
      const [program = "", ...words] = programCommand("daemon", "run", "ensure-official-runtimes", ...more);
      const { stdout, exitCode } = Bun.spawnSync([program, ...words], { env: roots.environment() });
      expect(exitCode).toBe(0);
      return stdout.toString();
    };
    expect(ensure("--dry-run")).toMatch(/^(pohunek\.runtime\.\w+ \d+\.\d+\.\d+: preview\n){3,}$/);
    expect(ensure()).toMatch(/^(pohunek\.runtime\.\w+ \d+\.\d+\.\d+: installed\n){3,}$/);
    expect(ensure()).toBe("nothing to do\n");
    await using host = await startHost({ roots });
    expect((await listed(host)).every(({ enabled, fault }) => enabled && fault === undefined)).toBe(true);
  });

  test("are whole after each kill in the middle of their installation, and complete when it is done again", async () => {
    const roots = new TempRoots();
    const folder = join(roots.data, "packages");
    const rootCount = (): number =>
      existsSync(folder) ? readdirSync(folder).filter((name) => /^[0-9a-f]{64}$/.test(name)).length : 0;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const interrupted: number[] = [];
    for (let count = 1; count <= 6; count += 1) {
      const child = Bun.spawn(programCommand("daemon", "run", "ensure-official-runtimes"), {
        env: roots.environment(),
      });
      const watcher = watch(folder, () => {
        if (rootCount() >= count) child.kill("SIGKILL");
      });
      await child.exited;
      watcher.close();
      if (child.signalCode === "SIGKILL") interrupted.push(rootCount());
    }
    expect(interrupted.length).toBeGreaterThan(0);
    await using host = await startHost({ roots });
    expect((await listed(host)).map(({ fault, enabled }) => [fault, enabled])).toEqual(
      (await listed(host)).map(() => [undefined, true]),
    );
    expect((await listed(host)).length).toBe(rootCount());
    const { findings } = await host.call<{ findings: unknown[] }>("package.doctor", {});
    expect(findings).toEqual([]);
    expect(readdirSync(folder).filter((name) => !/^(?:[0-9a-f]{64}|registry\.(?:json|lock))$/.test(name))).toEqual([]);
  });

  test("lie beside the program: one archive for each that the catalog lists, and the anchor", () => {
    const dist = join(import.meta.dir, "../../dist");
    const { payload } = JSON.parse(readFileSync(join(dist, "runtime/catalog.json"), "utf8")) as { payload: string };
    const { packages } = JSON.parse(Buffer.from(payload, "base64url").toString()) as {
      packages: { archive: string; digest: string; runtime: string }[];
    };
    const archives = readdirSync(join(dist, "runtime")).filter((name) => name.endsWith(".tar.zst"));
    expect(packages.map(({ archive }) => archive).toSorted()).toEqual(archives.toSorted());
    expect(packages.length).toBeGreaterThan(3);
    for (const { archive, digest } of packages) {
      const bytes = readFileSync(join(dist, "runtime", archive));
      expect(`sha256:${new Bun.CryptoHasher("sha256").update(bytes).digest("hex")}`).toBe(digest);
    }
    expect(JSON.parse(readFileSync(join(dist, "runtime-catalog-anchor.json"), "utf8"))).toMatchObject({
      reserved: packages.map(({ runtime }) => runtime),
    });
  });
});

describe("a package of somebody else", () => {
  test("serves its agent without a restart, and its bytes are compared before each launch", async () => {
    const roots = new TempRoots();
    await using host = await startHost({ roots, env: writeDemoProgram(roots) });
    expect(await startRefusal(host, "demo")).toBe("agent_profile_not_found");
    const demo = await makeDemoPackage(roots, { args: '["--first", "two words"]' });
    expect(await install(host, demo)).toMatchObject({ status: "installed", reloaded: true });
    const session = await start(host, "demo");
    await showsArguments(host, session.id, "--first two words");
    const file = join(roots.data, "packages", demo.digest.slice(7), "files/runtime.toml");
    const text = readFileSync(file);
    writeFileSync(file, text.toString().replace("--first", "--other"));
    expect(await startRefusal(host, "demo")).toBe("runtime_incompatible");
    const { findings } = await host.call<{ findings: unknown[] }>("package.doctor", {});
    expect(findings).toMatchObject([{ kind: "fault", fault: "root_modified", digest: demo.digest, referenced: true }]);
    expect(await install(host, demo)).toMatchObject({ status: "root_restored" });
    expect((await start(host, "demo")).state).toBe("running");
    writeFileSync(file, text);
    chmodSync(file, 0o666);
    expect(await startRefusal(host, "demo")).toBe("runtime_incompatible");
  });

  test("is kept as long as a session was started with it, and each session keeps its version", async () => {
    const roots = new TempRoots();
    await using host = await startHost({ roots, env: writeDemoProgram(roots) });
    const old = await makeDemoPackage(roots, { args: '["old"]' });
    await install(host, old);
    const first = await start(host, "demo");
    const newer = await makeDemoPackage(roots, { version: "1.1.0", args: '["newer"]' });
    await install(host, newer);
    const second = await start(host, "demo");
    await showsArguments(host, first.id, "old");
    await showsArguments(host, second.id, "newer");
    const uninstall = { digest: old.digest, remove_modified: false };
    expect(await host.refusal("package.uninstall", uninstall)).toBe("package_referenced");
    await host.restart();
    expect(await host.refusal("package.uninstall", uninstall)).toBe("package_referenced");
    await host.call("session.stop", first.id);
    expect(await host.refusal("package.uninstall", uninstall)).toBe("package_referenced");
    await host.call("session.remove", first.id);
    expect(await host.call<unknown>("package.uninstall", uninstall)).toEqual({ digest: old.digest, reloaded: true });
    expect((await listed(host)).filter(({ runtime_id: id }) => id === "demo")).toMatchObject([
      { digest: newer.digest, referenced: true },
    ]);
  });

  test("that is switched off starts nothing new, and what runs goes on", async () => {
    const roots = new TempRoots();
    await using host = await startHost({ roots, env: writeDemoProgram(roots) });
    const { digest, ...demo } = await makeDemoPackage(roots);
    await install(host, { digest, ...demo });
    const session = await start(host, "demo");
    const answer = await host.call<Installed>("package.set_enabled", { digest, enabled: false });
    expect(answer).toMatchObject({ package: { enabled: false, selected: true }, reloaded: true });
    expect(await startRefusal(host, "demo")).toBe("runtime_not_installed");
    expect((await host.inspect(session.id)).state).toBe("running");
    await host.call("package.set_enabled", { digest, enabled: true });
    expect((await start(host, "demo")).state).toBe("running");
  });

  test("is refused for a wrong digest, a reserved name, a broken archive, and a folder that is none", async () => {
    const roots = new TempRoots();
    await using host = await startHost({ roots });
    const demo = await makeDemoPackage(roots);
    const claiming = await makeDemoPackage(roots, { id: "example.claim", runtime: "shell" });
    const broken = join(roots.base, "broken.tar.zst");
    writeFileSync(broken, "no archive");
    const digest = `sha256:${new Bun.CryptoHasher("sha256").update("no archive").digest("hex")}`;
    const wish = { enable: true, select: true, dry_run: false };
    const refusal = (archive_path: string, trusted: string): Promise<string> =>
      host.refusal("package.install", { archive_path, trust: { kind: "explicit_digest", digest: trusted }, ...wish });
    expect(await refusal(demo.archive, digest)).toBe("package_untrusted");
    expect(await refusal(claiming.archive, claiming.digest)).toBe("package_runtime_not_claimable");
    const [{ runtime_id: reserved = "" } = {}] = await listed(host);
    const official = await makeDemoPackage(roots, { id: "example.official", runtime: reserved });
    expect(await refusal(official.archive, official.digest)).toBe("package_runtime_not_claimable");
    expect(await refusal(broken, digest)).toBe("package_archive_invalid");
    expect(await refusal(join(roots.base, "nothing"), digest)).toBe("package_source_unreadable");
    expect(await refusal(roots.base, digest)).toBe("package_source_unreadable");
    const catalog = { kind: "catalog", catalog_path: broken };
    const byCatalog = { archive_path: demo.archive, trust: catalog, ...wish };
    expect(await host.refusal("package.install", byCatalog)).toBe("package_untrusted");
    const link = { directory: join(roots.base, "nothing"), dry_run: false };
    expect(await host.refusal("package.link", link)).toBe("package_source_unreadable");
    mkdirSync(link.directory);
    writeFileSync(join(link.directory, "readme"), "");
    expect(await host.refusal("package.link", link)).toBe("package_descriptor_invalid");
    expect((await listed(host)).filter(({ origin }) => origin !== "official")).toEqual([]);
  });
});

test("a registry that cannot be read leaves the shell, and is left as it is", async () => {
  const roots = new TempRoots();
  const path = join(roots.data, "packages/registry.json");
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(path, "{", { mode: 0o600 });
  await using host = await startHost({ roots });
  expect((await host.newSession()).state).toBe("running");
  const { runtimes } = await host.call<{ runtimes: { agent: string }[] }>("host.inspect");
  expect(runtimes.map(({ agent }) => agent)).toEqual(["shell"]);
  expect(await host.refusal("package.list")).toBe("package_registry_failed");
  const { report } = await host.call<{ report: { checks: { name: string; status: string; detail: string }[] } }>(
    "daemon.doctor",
  );
  expect(report.checks.find(({ name }) => name === "packages")).toMatchObject({ status: "fail" });
  expect(readFileSync(path, "utf8")).toBe("{");
});

test("packages are no business of another host", async () => {
  await using host = await startHost({ config: '[overlay.mesh]\naddress = "127.0.0.1"\nport = 0\n' });
  const listening = host.log().find(({ event, overlay }) => event === "listening" && overlay === "mesh");
  const port = Number(String(listening?.["address"]).split(":").at(-1));
  await using remote = await RawClient.connect({ hostname: "127.0.0.1", port });
  const digest = `sha256:${"0".repeat(64)}`;
  const methods = Object.entries(METHODS).filter(([name, row]) => name.startsWith("package.") && row.implemented);
  expect(methods.length).toBeGreaterThan(7);
  for (const [method] of methods) {
    const params = method === "package.list" ? undefined : { digest };
    expect([method, await remote.refusal(method, params)]).toEqual([method, "local_only_method"]);
  }
});
