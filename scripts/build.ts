/**
 * Makes dist/pohunek, the one program, from scripts/binary.ts. Nothing is done but a new time stamp when the sources have
 * not changed. The new program replaces the old by rename, so a running one is never disturbed.
 */

import { createHash } from "node:crypto";
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join, relative } from "node:path";

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
];

function hashSources(): string {
  const hash = createHash("sha256").update(Bun.revision);
  const files = SOURCES.flatMap((pattern) => globSync(pattern, { cwd: ROOT, withFileTypes: true }))
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

async function build(): Promise<boolean> {
  // Files may be edited while this runs; the program is dated from before it read them, so that such an edit counts as newer.
  const startedAt = new Date();
  const stamp = hashSources();
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
