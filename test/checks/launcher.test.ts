// Runs alone: it measures how fast the launcher starts.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { startHost } from "../support/index.ts";
import { copyWorkspace } from "./workspace-copy.ts";

const copy = copyWorkspace();
const launcher = join(copy, "pohunek");
const program = join(copy, "dist/pohunek");
const installed = join(copy, "node_modules/.pohunek-lock.json");
afterAll(() => rmSync(copy, { recursive: true, force: true }));

interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function run(command: readonly string[], options: { cwd?: string; path?: string } = {}): Promise<Outcome> {
  const env = { ...process.env, PATH: options.path ?? process.env.PATH };
  const child = Bun.spawn([...command], {
    cwd: options.cwd ?? "/",
    env,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { code, out, err };
}

const start = (options: { cwd?: string; path?: string } = {}): Promise<Outcome> =>
  run([launcher, "--version"], options);
const markInstalled = (): Promise<number> => Bun.write(installed, Bun.file(join(copy, "package-lock.json")));

/** A folder with an `npm` that does what the script says, and before everything else on PATH. */
function pathWithNpm(script: string): string {
  const folder = join(copy, "dist/stand-in");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "npm"), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, "npm"), 0o755);
  return `${folder}:${process.env.PATH}`;
}

beforeAll(async () => {
  await markInstalled();
});

describe("the first start", () => {
  test("two at once build one whole program", async () => {
    const [first, second] = await Promise.all([start(), start()]);
    expect([first.code, second.code]).toEqual([0, 0]);
    expect(first.out).toMatch(/^pohunek \d+\.\d+\.\d+/);
    expect(second.out).toBe(first.out);
    expect([first.err, second.err].filter((text) => text.includes("building ...")).length).toBe(1);
  });

  test("says what it does in one line on stderr and nothing on stdout", async () => {
    rmSync(program);
    const { out, err } = await start();
    expect(err).toBe("pohunek: building ... ready\n");
    expect(out).toMatch(/^pohunek \d+\.\d+\.\d+\n$/);
  });
});

describe("a later start", () => {
  test("says nothing and builds nothing", async () => {
    await start();
    const before = statSync(program).ino;
    expect((await start()).err).toBe("");
    expect(statSync(program).ino).toBe(before);
  });

  test("builds anew after a source has changed, without touching the running program's file", async () => {
    await start();
    const before = statSync(program).ino;
    appendFileSync(join(copy, "packages/cli/src/main.ts"), "\nexport const planted = 1;\n");
    expect((await start()).err).toContain("building");
    expect(statSync(program).ino).not.toBe(before);
  });

  test("builds anew after a source has gone", async () => {
    const extra = join(copy, "packages/cli/src/extra.ts");
    writeFileSync(extra, "export const extra = 1;\n");
    await start();
    rmSync(extra);
    expect((await start()).err).toContain("building");
    expect((await start()).err).toBe("");
  });

  test("works from any folder, by a relative name and through a chain of links", async () => {
    mkdirSync(join(copy, "dist/links"), { recursive: true });
    symlinkSync("../../pohunek", join(copy, "dist/links/one"));
    symlinkSync("one", join(copy, "dist/links/two"));
    expect((await run([join(copy, "dist/links/two"), "--version"])).code).toBe(0);
    expect((await run(["./two", "--version"], { cwd: join(copy, "dist/links") })).code).toBe(0);
    expect((await run(["sh", "pohunek", "--version"], { cwd: copy })).code).toBe(0);
  });

  test("is at most 15 ms slower than the program itself", async () => {
    await start();
    const measure = async (command: string): Promise<number> => {
      const startedAt = performance.now();
      await run([command, "--version"]);
      return performance.now() - startedAt;
    };
    const extra: number[] = [];
    for (let i = 0; i < 15; i++) extra.push((await measure(launcher)) - (await measure(program)));
    expect(extra.sort((a, b) => a - b)[7]).toBeLessThan(15);
  });
});

test("what `up` tells to type next is what was typed, unless the program is on PATH", async () => {
  await start();
  await using host = await startHost();
  const up = async (path: string): Promise<string> => {
    const env = host.roots.environment({ PATH: path });
    const child = Bun.spawn(["./pohunek", "up"], { cwd: copy, env, stdin: "ignore", stdout: "pipe" });
    return child.stdout.text();
  };
  expect(await up("/usr/bin:/bin")).toContain("  show it     ./pohunek attach copy-");
  expect(await up(`${copy}:/usr/bin:/bin`)).toContain("  show it     pohunek attach copy-");
});

describe("installing", () => {
  test("is done when the lockfile is not the installed one, before the build", async () => {
    appendFileSync(join(copy, "package-lock.json"), "\n");
    const { code, err } = await start({ path: pathWithNpm("exit 0") });
    expect(code).toBe(0);
    expect(err).toBe("pohunek: installing dependencies (npm ci) ... building ... ready\n");
  });

  test("that fails is told with npm's reason and exit code, and is tried again next time", async () => {
    appendFileSync(join(copy, "package-lock.json"), "\n");
    const path = pathWithNpm("echo 'npm error network unreachable' >&2; exit 7");
    for (const { code, out, err } of [await start({ path }), await start({ path })]) {
      expect(code).toBe(1);
      expect(out).toBe("");
      expect(err).toContain("npm ci failed with exit code 7");
      expect(err).toContain("npm error network unreachable");
      expect(err).toEndWith(
        "  next: Check the network, the proxy (npm config get proxy) and the free space, then run it again.\n",
      );
    }
    await markInstalled();
  });

  test("without npm names the packages that bring it", async () => {
    appendFileSync(join(copy, "package-lock.json"), "\n");
    const tools = join(copy, "dist/tools");
    mkdirSync(tools, { recursive: true });
    for (const tool of ["sh", "find", "readlink", "mkdir", "cmp", "flock", "cat", "rm"]) {
      if (!existsSync(join(tools, tool))) symlinkSync(Bun.which(tool) ?? "", join(tools, tool));
    }
    const { code, err } = await start({ path: tools });
    expect(code).toBe(1);
    expect(err).toContain("npm is not installed");
    expect(err).toContain("apt-get install npm");
    await markInstalled();
  });

  test("two at once also take turns where there is no flock", async () => {
    const tools = join(copy, "dist/tools");
    for (const tool of ["sleep", "kill", "tail", "cp", "npm", "node"]) {
      const found = Bun.which(tool);
      if (found !== null && !existsSync(join(tools, tool))) symlinkSync(found, join(tools, tool));
    }
    rmSync(join(tools, "flock"));
    rmSync(program);
    const [first, second] = await Promise.all([start({ path: tools }), start({ path: tools })]);
    expect([first.code, second.code]).toEqual([0, 0]);
    expect([first.err, second.err].filter((text) => text.includes("building ...")).length).toBe(1);
    expect(existsSync(join(copy, "dist/.lock.d"))).toBe(false);
  });
});

test("a build that fails is told with its reason and leaves the old program", async () => {
  await start();
  const before = statSync(program).ino;
  writeFileSync(join(copy, "packages/cli/src/main.ts"), "export const main = ;\n");
  const { code, err } = await start();
  expect(code).toBe(1);
  expect(err).toContain("the build failed with exit code 1");
  expect(err).toContain("Unexpected ;");
  expect(statSync(program).ino).toBe(before);
});
