import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { KeyObject } from "node:crypto";
import { generateKeyPairSync } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isProtocolError } from "@pohunek/protocol/wire";
import { platform } from "../../platform/index.ts";
import { parseAnchor } from "./anchor.ts";
import { packArchive } from "./archive.ts";
import { selectPackage, setPackageEnabled, uninstallPackage } from "./change-package.ts";
import { digestOf } from "./digest.ts";
import type { InstallOutcome, Trust } from "./install-package.ts";
import { installPackage } from "./install-package.ts";
import { InstalledRuntimes } from "./installed-runtimes.ts";
import { officialPackages } from "./official-packages.ts";
import { examinePackages } from "./package-doctor.ts";
import { PackageRegistry } from "./package-registry.ts";
import { publicKeyOf, signCatalog } from "./sign-catalog.ts";

const NOW = 2_000_000_000;

let folder = "";
let referenced: string[] = [];
const root = generateKeyPairSync("ed25519").privateKey;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "registry-"));
  referenced = [];
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function openRegistry(rootKey: KeyObject = root): PackageRegistry {
  const anchor = { schema: 1, roots: [publicKeyOf(rootKey)], reserved: ["reserved"] };
  return new PackageRegistry({
    folder: join(folder, "packages"),
    uid: platform.self.uid(),
    files: platform.files,
    anchor: () => parseAnchor(Buffer.from(JSON.stringify(anchor))),
    nowSeconds: () => NOW,
    isReferenced: (digest) => referenced.includes(digest),
  });
}

interface Made {
  readonly id?: string;
  readonly runtime?: string;
  readonly version?: string;
  readonly note?: string;
}

async function archiveOf({
  id = "a.demo",
  runtime = "demo",
  version = "1.0.0",
  note = "",
}: Made = {}): Promise<Uint8Array> {
  const descriptor = `# ${note}
schema = 1
[package]
id = "${id}"
version = "${version}"
[runtime]
id = "${runtime}"
display_name = "Demo"
process_names = ["demo"]
[launch]
program = "demo"
[input]
text_policy = "unrestricted"
ready = "screen_idle"
mid_turn = "queued"
`;
  return await packArchive([{ path: "runtime.toml", content: Buffer.from(descriptor), isExecutable: false }]);
}

type Wish = Partial<{ enable: boolean; select: boolean; dryRun: boolean; trust: Trust }>;

function install(registry: PackageRegistry, archive: Uint8Array, wish: Wish = {}): InstallOutcome {
  const trust = { kind: "explicit_digest", digest: digestOf(archive) } as const;
  return installPackage(registry, { archive, trust, enable: true, select: true, dryRun: false, ...wish });
}

function codeOf(action: () => unknown): string {
  try {
    action();
    return "accepted";
  } catch (cause) {
    if (isProtocolError(cause)) return cause.code;
    throw cause;
  }
}

const registryPath = (): string => join(folder, "packages/registry.json");

/** A catalog folder with these packages, as a release brings it. */
async function catalogOf(
  sequence: number,
  made: readonly Made[],
  revokedDigests: readonly string[] = [],
): Promise<string> {
  const target = join(folder, `catalog-${sequence}`);
  mkdirSync(target);
  const entries = await Promise.all(
    made.map(async (one, index) => {
      const archive = await archiveOf(one);
      const name = `p${index}.tar.zst`;
      writeFileSync(join(target, name), archive);
      const { id = "a.demo", version = "1.0.0", runtime = "demo" } = one;
      return { id, version, runtime, digest: digestOf(archive), archive: name };
    }),
  );
  const signer = generateKeyPairSync("ed25519").privateKey;
  const draft = { sequence, issuedAt: NOW - 5, expiresAt: NOW + 5, revokedKeys: [], revokedDigests, entries };
  writeFileSync(join(target, "catalog.json"), signCatalog(draft, { root, signer, notBefore: 0, notAfter: NOW + 9 }));
  return join(target, "catalog.json");
}

const bring = (registry: PackageRegistry, path: string, dryRun = false): string[] =>
  [...officialPackages(registry, { path, dryRun })].map(
    ({ entry, status }) => `${entry.id} ${entry.version} ${status}`,
  );
const states = (registry: PackageRegistry): string[] =>
  registry.state.packages.map(({ id, version, enabled, selected }) => {
    return `${id} ${version}${enabled ? " on" : ""}${selected ? " selected" : ""}`;
  });

describe("installing", () => {
  test("makes the runtime known, keeps it, and is told apart from doing it again", async () => {
    const archive = await archiveOf();
    const registry = openRegistry();
    expect(install(registry, archive, { dryRun: true }).status).toBe("preview");
    expect([registry.state.packages.length, registry.roots.list().length]).toEqual([0, 0]);
    expect(install(registry, archive).status).toBe("installed");
    expect(install(registry, archive).status).toBe("already_installed");
    const runtimes = new InstalledRuntimes(() => openRegistry());
    expect(runtimes.all.map(({ id }) => id)).toEqual(["shell", "demo"]);
    expect(runtimes.byName("demo").source).toEqual({
      packageId: "a.demo",
      packageVersion: "1.0.0",
      digest: digestOf(archive),
      official: false,
    });
  });

  test("refuses what has another digest, no catalog, or a name that is not for everybody", async () => {
    const registry = openRegistry();
    const archive = await archiveOf();
    const other = digestOf(await archiveOf({ note: "other" }));
    expect(codeOf(() => install(registry, archive, { trust: { kind: "explicit_digest", digest: other } }))).toBe(
      "package_untrusted",
    );
    const catalog = Buffer.from("{}");
    expect(codeOf(() => install(registry, archive, { trust: { kind: "catalog", catalog } }))).toBe("package_untrusted");
    const claims = [{ runtime: "shell" }, { runtime: "reserved" }, { id: "pohunek.runtime.demo" }];
    for (const claim of claims) {
      const claiming = await archiveOf(claim);
      expect(codeOf(() => install(registry, claiming))).toBe("package_runtime_not_claimable");
    }
    expect(registry.state.packages).toEqual([]);
  });

  test("of another package for the same runtime is refused while the first serves it", async () => {
    const registry = openRegistry();
    install(registry, await archiveOf());
    const rival = await archiveOf({ id: "b.demo" });
    expect(codeOf(() => install(registry, rival))).toBe("package_runtime_conflict");
    const { digest } = install(registry, rival, { enable: false, select: false }).record;
    expect(codeOf(() => setPackageEnabled(registry, { digest, enabled: true }))).toBe("package_runtime_conflict");
    setPackageEnabled(registry, { digest: registry.state.packages[0]?.digest ?? "", enabled: false });
    setPackageEnabled(registry, { digest, enabled: true });
    expect(states(registry)).toEqual(["a.demo 1.0.0 selected", "b.demo 1.0.0 on selected"]);
  });

  test("of other contents under the same name and version is refused, but for a folder that is linked again", async () => {
    const registry = openRegistry();
    install(registry, await archiveOf());
    const changed = await archiveOf({ note: "changed" });
    expect(codeOf(() => install(registry, changed))).toBe("package_identity_conflict");
    const link = { trust: { kind: "link" }, enable: false, select: false } as const;
    expect(codeOf(() => install(registry, changed, link))).toBe("package_identity_conflict");
    install(registry, await archiveOf({ id: "c.demo" }), link);
    install(registry, await archiveOf({ id: "c.demo", note: "again" }), link);
    expect(states(registry).slice(1)).toEqual(["c.demo 1.0.0", "c.demo 1.0.0"]);
  });

  test("without the anchor is refused: nobody would know which names are reserved", async () => {
    const { options } = openRegistry();
    const registry = new PackageRegistry({ ...options, anchor: () => parseAnchor(Buffer.from("")) });
    const archive = await archiveOf();
    expect(codeOf(() => install(registry, archive))).toBe("official_trust_unavailable");
  });
});

describe("versions", () => {
  test("the selected one serves the name, every one its digest, also one that is off", async () => {
    const registry = openRegistry();
    const runtimes = new InstalledRuntimes(() => registry);
    const first = install(registry, await archiveOf()).record.digest;
    const second = install(registry, await archiveOf({ version: "1.1.0" })).record.digest;
    expect(runtimes.byName("demo").source?.packageVersion).toBe("1.1.0");
    selectPackage(registry, first);
    expect(runtimes.byName("demo").source?.packageVersion).toBe("1.0.0");
    setPackageEnabled(registry, { digest: first, enabled: false });
    expect(codeOf(() => runtimes.byName("demo"))).toBe("runtime_not_installed");
    expect([runtimes.byDigest(first, "demo").source?.digest, runtimes.isEnabled(first)]).toEqual([first, false]);
    expect([runtimes.byDigest(second, "demo").source?.digest, runtimes.isEnabled(second)]).toEqual([second, true]);
    expect(codeOf(() => runtimes.byDigest(second, "other"))).toBe("runtime_incompatible");
    expect(codeOf(() => runtimes.byDigest(digestOf(Buffer.from("")), "demo"))).toBe("runtime_not_installed");
    expect(runtimes.all.map(({ id }) => id)).toEqual(["shell"]);
  });

  test("one that was linked is off until it is switched on, which selects it", async () => {
    const registry = openRegistry();
    const link = { trust: { kind: "link" }, enable: false, select: false } as const;
    const { digest } = install(registry, await archiveOf(), link).record;
    expect(states(registry)).toEqual(["a.demo 1.0.0"]);
    setPackageEnabled(registry, { digest, enabled: true });
    expect(states(registry)).toEqual(["a.demo 1.0.0 on selected"]);
  });
});

describe("uninstalling", () => {
  test("is refused while something needs exactly this package, and while a session is about to", async () => {
    const registry = openRegistry();
    const { digest } = install(registry, await archiveOf()).record;
    const runtimes = new InstalledRuntimes(() => registry);
    const uninstall = (): string => codeOf(() => uninstallPackage(registry, { digest, removeModified: false }));
    referenced = [digest];
    expect(uninstall()).toBe("package_referenced");
    referenced = [];
    const [first, second] = [runtimes.hold(digest), runtimes.hold(digest)];
    expect(uninstall()).toBe("package_referenced");
    first[Symbol.dispose]();
    first[Symbol.dispose]();
    expect(uninstall()).toBe("package_referenced");
    second[Symbol.dispose]();
    expect([uninstall(), registry.roots.list(), registry.state.packages]).toEqual(["accepted", [], []]);
    expect(codeOf(() => runtimes.hold(digest))).toBe("runtime_not_installed");
    expect(uninstall()).toBe("package_not_installed");
  });

  test("of a changed root has to be asked for, of an intact one must not be", async () => {
    const registry = openRegistry();
    const { digest } = install(registry, await archiveOf()).record;
    const uninstall = (removeModified: boolean): string =>
      codeOf(() => uninstallPackage(registry, { digest, removeModified }));
    expect(uninstall(true)).toBe("package_root_intact");
    writeFileSync(join(folder, "packages", digest.slice(7), "files/more"), "");
    expect([uninstall(false), uninstall(true)]).toEqual(["package_root_invalid", "accepted"]);
  });
});

describe("damage", () => {
  test("after it was loaded refuses the launch, is told, and is mended by installing again", async () => {
    const registry = openRegistry();
    const runtimes = new InstalledRuntimes(() => registry);
    const archive = await archiveOf();
    const { digest } = install(registry, archive).record;
    expect(runtimes.byName("demo").id).toBe("demo");
    writeFileSync(join(folder, "packages", digest.slice(7), "files/runtime.toml"), "schema = 1\n");
    expect(codeOf(() => runtimes.byName("demo"))).toBe("runtime_incompatible");
    expect(codeOf(() => runtimes.byDigest(digest, "demo"))).toBe("runtime_incompatible");
    expect(examinePackages(registry, { pinned: [] })).toMatchObject([
      { kind: "fault", digest, fault: "root_modified" },
    ]);
    expect(codeOf(() => selectPackage(registry, digest))).toBe("package_root_invalid");
    expect(install(registry, archive).status).toBe("root_restored");
    expect(runtimes.byName("demo").id).toBe("demo");
    expect(examinePackages(registry, { pinned: [] })).toEqual([]);
  });

  test("is found where a root belongs to nobody and where a package is needed and not there", async () => {
    const registry = openRegistry();
    const archive = await archiveOf();
    const { digest } = install(registry, archive).record;
    rmSync(registryPath());
    const gone = digestOf(Buffer.from("gone"));
    referenced = [gone];
    expect(examinePackages(openRegistry(), { pinned: [gone, gone] })).toEqual([
      { kind: "unregistered_root", digest, referenced: false },
      { kind: "pinned_not_installed", digest: gone, referenced: true },
    ]);
    const again = openRegistry();
    expect(install(again, archive).status).toBe("installed");
    expect(examinePackages(again, { pinned: [] })).toEqual([]);
  });
});

describe("the registry", () => {
  test("that cannot be trusted leaves the shell, refuses changes and stays as it is", async () => {
    const archive = await archiveOf();
    install(openRegistry(), archive);
    const good = readFileSync(registryPath(), "utf8");
    const bad = [
      "",
      "no JSON",
      good.replace('"schema": 1', '"schema": 2'),
      good.replace('"generation": 1', '"generation": 1, "generation": 2'),
      good.replace('"enabled": true', '"enabled": true, "more": 1'),
      good.replace('"id": "a.demo"', '"id": "../demo"'),
      good.replace('"origin": "explicit_digest"', '"origin": "elsewhere"'),
    ];
    for (const text of bad) {
      expect(text).not.toBe(good);
      writeFileSync(registryPath(), text);
      const registry = openRegistry();
      const runtimes = new InstalledRuntimes(() => registry);
      expect(runtimes.all.map(({ id }) => id)).toEqual(["shell"]);
      expect(codeOf(() => runtimes.byName("demo"))).toBe("runtime_not_installed");
      expect(codeOf(() => install(registry, archive))).toBe("package_registry_failed");
      expect(readFileSync(registryPath(), "utf8")).toBe(text);
    }
    writeFileSync(registryPath(), good);
    expect(new InstalledRuntimes(() => openRegistry()).byName("demo").id).toBe("demo");
  });

  test("is changed by one at a time, and nobody waits", async () => {
    const registry = openRegistry();
    const archive = await archiveOf();
    const code = registry.change(() => ({ result: codeOf(() => install(openRegistry(), archive)) }));
    expect(code).toBe("package_registry_busy");
    expect(install(registry, archive).status).toBe("installed");
  });

  test("that another process changed is read again, and counts its changes", async () => {
    const registry = openRegistry();
    const runtimes = new InstalledRuntimes(() => registry);
    expect([registry.state.generation, runtimes.all.length]).toEqual([0, 1]);
    install(openRegistry(), await archiveOf());
    expect([registry.state.generation, runtimes.all.length]).toEqual([1, 2]);
  });

  test("is whole after a crash in the middle of a change, whatever was staged", async () => {
    const registry = openRegistry();
    const archive = await archiveOf();
    install(registry, archive);
    writeFileSync(join(folder, "packages/registry.json.new"), "half");
    const { digest } = registry.state.packages[0] ?? { digest: "" };
    setPackageEnabled(openRegistry(), { digest, enabled: false });
    expect(states(registry)).toEqual(["a.demo 1.0.0 selected"]);
  });
});

describe("the packages of a release", () => {
  const reserved = { id: "pohunek.runtime.reserved", runtime: "reserved" };

  test("are installed once, and may provide what is reserved", async () => {
    const registry = openRegistry();
    const path = await catalogOf(1, [reserved, {}]);
    expect(bring(registry, path, true)).toEqual(["pohunek.runtime.reserved 1.0.0 preview", "a.demo 1.0.0 preview"]);
    expect(registry.state.generation).toBe(0);
    expect(bring(registry, path)).toEqual(["pohunek.runtime.reserved 1.0.0 installed", "a.demo 1.0.0 installed"]);
    expect(states(registry)).toEqual(["pohunek.runtime.reserved 1.0.0 on selected", "a.demo 1.0.0 on selected"]);
    expect(bring(registry, path)).toEqual([]);
    expect(new InstalledRuntimes(() => registry).byName("reserved").source?.official).toBe(true);
  });

  test("are selected when they are newer, but not over what the owner chose", async () => {
    const registry = openRegistry();
    bring(registry, await catalogOf(1, [reserved]));
    bring(registry, await catalogOf(2, [{ ...reserved, version: "1.1.0" }]));
    expect(states(registry)).toEqual([
      "pohunek.runtime.reserved 1.0.0 on",
      "pohunek.runtime.reserved 1.1.0 on selected",
    ]);
    selectPackage(registry, registry.state.packages[0]?.digest ?? "");
    bring(registry, await catalogOf(3, [{ ...reserved, version: "1.2.0" }]));
    expect(states(registry)).toContain("pohunek.runtime.reserved 1.0.0 on selected");
  });

  test("that the owner switched off stay off, and those that were taken away stay away until they are asked for", async () => {
    const registry = openRegistry();
    bring(registry, await catalogOf(1, [reserved, {}]));
    const [first, second] = registry.state.packages.map(({ digest }) => digest);
    setPackageEnabled(registry, { digest: first ?? "", enabled: false });
    uninstallPackage(registry, { digest: second ?? "", removeModified: false });
    const path = await catalogOf(2, [{ ...reserved, version: "1.1.0" }, {}]);
    expect(bring(registry, path)).toEqual(["pohunek.runtime.reserved 1.1.0 installed", "a.demo 1.0.0 declined"]);
    expect(states(registry)).toEqual(["pohunek.runtime.reserved 1.0.0", "pohunek.runtime.reserved 1.1.0 selected"]);
    install(registry, await archiveOf(), { trust: { kind: "catalog", catalog: readFileSync(path) } });
    expect(registry.state.declined).toEqual([]);
  });

  test("that were built again replace the build before, unless something needs it", async () => {
    const registry = openRegistry();
    bring(registry, await catalogOf(1, [{ ...reserved, note: "one" }]));
    const old = registry.state.packages[0]?.digest ?? "";
    referenced = [old];
    bring(registry, await catalogOf(2, [{ ...reserved, note: "two" }]));
    expect(registry.roots.list()).toHaveLength(2);
    referenced = [];
    bring(registry, await catalogOf(3, [{ ...reserved, note: "three" }]));
    expect(states(registry)).toEqual(["pohunek.runtime.reserved 1.0.0 on selected"]);
    expect(registry.roots.list()).toHaveLength(1);
  });

  test("of an older catalog, or another root, are refused", async () => {
    const registry = openRegistry();
    const old = await catalogOf(1, [reserved]);
    bring(registry, await catalogOf(2, [{}]));
    expect(codeOf(() => bring(registry, old))).toBe("package_untrusted");
    const others = openRegistry(generateKeyPairSync("ed25519").privateKey);
    expect(codeOf(() => bring(others, old))).toBe("package_untrusted");
  });

  test("that a later catalog revokes are switched off and cannot be switched on or installed", async () => {
    const registry = openRegistry();
    bring(registry, await catalogOf(1, [reserved]));
    const { digest } = registry.state.packages[0] ?? { digest: "" };
    bring(registry, await catalogOf(2, [], [digest]));
    expect(states(registry)).toEqual(["pohunek.runtime.reserved 1.0.0 selected"]);
    expect(codeOf(() => setPackageEnabled(registry, { digest, enabled: true }))).toBe("package_untrusted");
    const again = await archiveOf(reserved);
    expect(codeOf(() => install(registry, again))).toBe("package_untrusted");
  });

  test("whose archive is not what the catalog says fail alone", async () => {
    const registry = openRegistry();
    const path = await catalogOf(1, [reserved, {}]);
    writeFileSync(join(path, "../p0.tar.zst"), await archiveOf({ id: "x.other" }));
    expect(bring(registry, path)).toEqual(["pohunek.runtime.reserved 1.0.0 failed", "a.demo 1.0.0 installed"]);
    const { generation } = registry.state;
    expect(bring(registry, path)).toEqual(["pohunek.runtime.reserved 1.0.0 failed", "a.demo 1.0.0 already_installed"]);
    expect(registry.state.generation).toBe(generation);
    writeFileSync(join(path, "../p0.tar.zst"), await archiveOf(reserved));
    expect(bring(registry, path)).toEqual([
      "pohunek.runtime.reserved 1.0.0 installed",
      "a.demo 1.0.0 already_installed",
    ]);
    expect(bring(registry, path)).toEqual([]);
  });
});
