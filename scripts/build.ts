/**
 * Makes dist/pohunek, the one program, from scripts/binary.ts, and beside it the packages of runtimes/ with their catalog and
 * its anchor. Nothing is done but a new time stamp when the sources have not changed. The new program replaces the old by
 * rename, so a running one is never disturbed.
 */

import { createHash } from "node:crypto";
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join, relative } from "node:path";
import { ANCHOR_FILE } from "@pohunek/host/make-packages";
import { makeOfficialPackages } from "./official-packages.ts";

const ROOT = join(import.meta.dir, "..");
const DIST = join(ROOT, "dist");
const PROGRAM = join(DIST, "pohunek");
const STAMP = join(DIST, ".stamp");

const SOURCES = [
  "package.json",
  "package-lock.json",
  "packages/*/package.json",
  "packages/*/src/**/*",
  "runtimes/**/*",
  "scripts/binary.ts",
  "scripts/build.ts",
  "scripts/official-packages.ts",
];

/** What the packages and their catalog are made of. */
const PACKAGE_SOURCES = ["runtimes/**/*", "packages/host/src/agents/packages/*", "scripts/official-packages.ts"];
const PACKAGES = join(DIST, "runtime");
const CATALOG = "catalog.json";
const PACKAGES_STAMP = join(PACKAGES, ".stamp");

function hashSources(patterns: readonly string[]): string {
  const hash = createHash("sha256").update(Bun.revision);
  const files = patterns
    .flatMap((pattern) => globSync(pattern, { cwd: ROOT, withFileTypes: true }))
    .filter((entry) => entry.isFile() && !entry.name.endsWith(".test.ts"))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  for (const file of files) {
    const content = readFileSync(file);
    hash.update(`${relative(ROOT, file)}\0${content.length}\0`).update(content);
  }
  return hash.digest("hex");
}

/** False when the bundle could not be made; the reasons are told. */
async function compile(outfile: string): Promise<boolean> {
  const result = await Bun.build({
    entrypoints: [join(ROOT, "scripts/binary.ts")],
    target: "bun",
    // In pieces, so that a command loads its own modules and not those of the daemon: a third of a command's start.
    format: "esm",
    splitting: true,
    bytecode: true,
    minify: true,
    sourcemap: "none",
    // A session is started in other people's folders: their .env and bunfig.toml must not reach into this program.
    compile: { outfile, autoloadDotenv: false, autoloadBunfig: false },
    throw: false,
  });
  for (const { position, message } of result.logs) {
    console.error(position === null ? message : `${relative(ROOT, position.file)}:${position.line}: ${message}`);
  }
  return result.success;
}

/**
 * Has its own stamp: a new catalog means new keys and another installation at the next start. Each file is replaced by
 * rename, the catalog after its archives and the anchor last; a daemon that starts in between refuses the pair, says so, and
 * takes it the next time.
 */
async function buildPackages(): Promise<void> {
  const stamp = hashSources(PACKAGE_SOURCES);
  if (existsSync(PACKAGES_STAMP) && readFileSync(PACKAGES_STAMP, "utf8") === stamp) return;
  mkdirSync(PACKAGES, { recursive: true });
  const folder = mkdtempSync(join(DIST, ".build-"));
  try {
    await makeOfficialPackages(join(ROOT, "runtimes"), folder);
    const made = readdirSync(join(folder, "runtime")).toSorted((a, b) => Number(a === CATALOG) - Number(b === CATALOG));
    rmSync(PACKAGES_STAMP, { force: true });
    for (const name of made) renameSync(join(folder, "runtime", name), join(PACKAGES, name));
    renameSync(join(folder, ANCHOR_FILE), join(DIST, ANCHOR_FILE));
    const stale = readdirSync(PACKAGES).filter((name) => !made.includes(name));
    for (const name of stale) rmSync(join(PACKAGES, name));
    writeFileSync(PACKAGES_STAMP, stamp);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function build(): Promise<boolean> {
  // Files may be edited while this runs; the program is dated from before it read them, so that such an edit counts as newer.
  const startedAt = new Date();
  await buildPackages();
  const stamp = hashSources(SOURCES);
  if (existsSync(PROGRAM) && existsSync(STAMP) && readFileSync(STAMP, "utf8") === stamp) {
    utimesSync(PROGRAM, startedAt, startedAt);
    return true;
  }
  mkdirSync(DIST, { recursive: true });
  const folder = mkdtempSync(join(DIST, ".build-"));
  try {
    // The name of the output becomes part of the program, so it is always the same and only its folder is not.
    const made = join(folder, "pohunek");
    if (!(await compile(made))) return false;
    utimesSync(made, startedAt, startedAt);
    rmSync(STAMP, { force: true });
    renameSync(made, PROGRAM);
    writeFileSync(STAMP, stamp);
    return true;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

process.exitCode = (await build()) ? 0 : 1;
