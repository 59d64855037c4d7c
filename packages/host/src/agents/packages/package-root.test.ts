import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { platform } from "../../platform/index.ts";
import { hexOf } from "./digest.ts";
import { PackageRoots } from "./package-root.ts";

const DIGEST = `sha256:${"ab".repeat(32)}`;
const OTHER = `sha256:${"cd".repeat(32)}`;
const FILES = [
  { path: "bin/start", content: Buffer.from("#!/bin/sh\n"), isExecutable: true },
  { path: "detection.toml", content: Buffer.from("schema = 1\n"), isExecutable: false },
  { path: "docs/deep/read-me", content: Buffer.alloc(0), isExecutable: false },
  { path: "runtime.toml", content: Buffer.from("schema = 1\n"), isExecutable: false },
];

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "roots-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const sync = (path: string): void => platform.files.syncDirectory(path);

function openRoots(syncDirectory = sync): PackageRoots {
  return new PackageRoots({ folder: join(folder, "packages"), uid: platform.self.uid(), syncDirectory });
}

const rootOf = (digest: string): string => join(folder, "packages", hexOf(digest));

describe("an installed root", () => {
  test("holds the files, private to the owner, and gives them back", () => {
    const roots = openRoots();
    const { tree } = roots.install(DIGEST, FILES);
    const verified = roots.verify(DIGEST, tree);
    expect(verified.fault).toBeUndefined();
    expect(
      [...("files" in verified ? verified.files : [])].map(([path, content]) => [path, content.toString()]),
    ).toEqual(FILES.map(({ path, content }) => [path, content.toString()]));
    const modeOf = (path: string): string => (lstatSync(join(rootOf(DIGEST), path)).mode & 0o7777).toString(8);
    expect(
      ["", "files", "files/docs/deep", "files/bin/start", "files/runtime.toml", "manifest.json"].map(modeOf),
    ).toEqual(["700", "700", "700", "700", "600", "600"]);
    expect(roots.list()).toEqual([DIGEST]);
  });

  test("is gone when it is removed, and nothing else with it", () => {
    const roots = openRoots();
    roots.install(DIGEST, FILES);
    const { tree } = roots.install(OTHER, FILES);
    roots.remove(DIGEST);
    expect([roots.list(), roots.verify(OTHER, tree).fault]).toEqual([[OTHER], undefined]);
    roots.remove(DIGEST);
    expect(readdirSync(join(folder, "packages"))).toEqual([hexOf(OTHER)]);
  });

  test("is put in place of one that was damaged", () => {
    const roots = openRoots();
    roots.install(DIGEST, FILES);
    writeFileSync(join(rootOf(DIGEST), "files/runtime.toml"), "schema = 2\n");
    const { tree } = roots.install(DIGEST, FILES);
    expect(roots.verify(DIGEST, tree).fault).toBeUndefined();
    expect(readdirSync(join(folder, "packages"))).toEqual([hexOf(DIGEST)]);
  });
});

describe("a crash", () => {
  class Crash extends Error {}

  test("at any sync leaves the whole root or none, and the next installation completes it", () => {
    const installedAfter: boolean[] = [];
    for (let step = 1; ; step += 1) {
      rmSync(join(folder, "packages"), { recursive: true, force: true });
      let count = 0;
      const crashing = openRoots((path) => {
        count += 1;
        if (count === step) throw new Crash();
        platform.files.syncDirectory(path);
      });
      try {
        crashing.install(DIGEST, FILES);
        break;
      } catch (cause) {
        expect(cause).toBeInstanceOf(Crash);
      }
      installedAfter.push(existsSync(rootOf(DIGEST)));
      const roots = openRoots();
      const { tree } = roots.install(DIGEST, FILES);
      expect(roots.verify(DIGEST, tree).fault).toBeUndefined();
      expect(readdirSync(join(folder, "packages"))).toEqual([hexOf(DIGEST)]);
    }
    expect(installedAfter.length).toBeGreaterThan(3);
    expect(installedAfter.at(0)).toBe(false);
    expect(installedAfter.at(-1)).toBe(true);
  });
});

describe("verification finds", () => {
  const inFiles = (path: string): string => join(rootOf(DIGEST), "files", path);
  const cases: readonly (readonly [what: string, fault: string, change: () => void])[] = [
    ["that nothing is there", "root_missing", () => rmSync(rootOf(DIGEST), { recursive: true })],
    ["an added file", "root_modified", () => writeFileSync(inFiles("more"), "")],
    ["an added file beside the files", "root_modified", () => writeFileSync(join(rootOf(DIGEST), "more"), "")],
    ["an added folder", "root_modified", () => mkdirSync(inFiles("more"), { mode: 0o700 })],
    ["a removed file", "root_modified", () => rmSync(inFiles("detection.toml"))],
    ["a removed manifest", "root_modified", () => rmSync(join(rootOf(DIGEST), "manifest.json"))],
    ["a renamed file", "root_modified", () => renameSync(inFiles("detection.toml"), inFiles("other.toml"))],
    ["a file of the same size", "root_modified", () => writeFileSync(inFiles("runtime.toml"), "schema = 2\n")],
    ["a longer file", "root_modified", () => appendFileSync(inFiles("runtime.toml"), "\n")],
    ["a cut file", "root_modified", () => writeFileSync(inFiles("runtime.toml"), "")],
    ["a manifest that is not ours", "root_modified", () => appendFileSync(join(rootOf(DIGEST), "manifest.json"), "\n")],
    ["a file that others may read", "root_unsafe", () => chmodSync(inFiles("runtime.toml"), 0o644)],
    ["a file that became executable", "root_unsafe", () => chmodSync(inFiles("runtime.toml"), 0o700)],
    ["a program that no longer is", "root_unsafe", () => chmodSync(inFiles("bin/start"), 0o600)],
    ["a set-user-id bit", "root_unsafe", () => chmodSync(inFiles("bin/start"), 0o4700)],
    ["a folder that others may enter", "root_unsafe", () => chmodSync(inFiles("docs"), 0o755)],
    ["a root that others may enter", "root_unsafe", () => chmodSync(rootOf(DIGEST), 0o711)],
    ["a manifest that others may read", "root_unsafe", () => chmodSync(join(rootOf(DIGEST), "manifest.json"), 0o640)],
    ["a second name of a file", "root_unsafe", () => linkSync(inFiles("runtime.toml"), join(folder, "second"))],
    [
      "a symbolic link for a file",
      "root_unsafe",
      () => {
        renameSync(inFiles("runtime.toml"), join(folder, "away"));
        symlinkSync(join(folder, "away"), inFiles("runtime.toml"));
      },
    ],
    [
      "a symbolic link for a folder",
      "root_unsafe",
      () => {
        renameSync(inFiles("docs"), join(folder, "away"));
        symlinkSync(join(folder, "away"), inFiles("docs"));
      },
    ],
    [
      "a symbolic link for the root",
      "root_unsafe",
      () => {
        renameSync(rootOf(DIGEST), join(folder, "away"));
        symlinkSync(join(folder, "away"), rootOf(DIGEST));
      },
    ],
    [
      "a FIFO, without waiting for who writes into it",
      "root_unsafe",
      () => {
        rmSync(inFiles("runtime.toml"));
        expect(Bun.spawnSync(["mkfifo", "-m", "600", inFiles("runtime.toml")]).exitCode).toBe(0);
      },
    ],
    [
      "the root of another package",
      "root_modified",
      () => {
        openRoots().install(OTHER, FILES.slice(1));
        rmSync(rootOf(DIGEST), { recursive: true });
        renameSync(rootOf(OTHER), rootOf(DIGEST));
      },
    ],
  ];
  test.each(cases)("%s", (_what, fault, change) => {
    const roots = openRoots();
    const { tree } = roots.install(DIGEST, FILES);
    change();
    expect(roots.verify(DIGEST, tree)).toEqual({ fault } as never);
  });

  test("another owner", () => {
    const { tree } = openRoots().install(DIGEST, FILES);
    const others = new PackageRoots({
      folder: join(folder, "packages"),
      uid: platform.self.uid() + 1,
      syncDirectory: sync,
    });
    expect(others.verify(DIGEST, tree)).toEqual({ fault: "root_unsafe" });
  });

  test("a manifest that names files outside, though its digest were registered", () => {
    const roots = openRoots();
    roots.install(DIGEST, FILES);
    const path = join(rootOf(DIGEST), "manifest.json");
    writeFileSync(path, readFileSync(path, "utf8").replace("runtime.toml", "../runtime.toml"));
    const tree = `sha256:${new Bun.CryptoHasher("sha256").update(readFileSync(path)).digest("hex")}`;
    expect(roots.verify(DIGEST, tree)).toEqual({ fault: "root_modified" });
  });
});
