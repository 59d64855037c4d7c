// Runs alone: six checkers over a whole copy of the workspace.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { readSourceFiles } from "../../scripts/checks/source-files.ts";
import { copyWorkspace } from "./workspace-copy.ts";

const copy = copyWorkspace();
afterAll(() => rmSync(copy, { recursive: true, force: true }));

const lines = (count: number, text: string): string => Array.from({ length: count }, () => text).join("\n");

interface Fault {
  readonly name: string;
  readonly check: string;
  readonly path: string;
  readonly text: string;
  /** What the check must say; the path is required too. */
  readonly says: string;
}

const FAULTS: readonly Fault[] = [
  {
    name: "a type error",
    check: "types",
    path: "packages/sdk/src/planted-type.ts",
    text: `export const n: number = "x";`,
    says: "TS2322",
  },
  {
    name: "a file over 500 lines",
    check: "lint",
    path: "packages/host/src/store/planted-lines.ts",
    text: lines(501, "// line"),
    says: "(max-lines)",
  },
  {
    name: "a function over 60 lines",
    check: "lint",
    path: "packages/host/src/store/planted-function.ts",
    text: `export function f(): number {\n  let n = 0;\n${lines(60, "  n += 1;")}\n  return n;\n}`,
    says: "max-lines-per-function",
  },
  {
    name: "four parameters",
    check: "lint",
    path: "packages/host/src/store/planted-parameters.ts",
    text: "export const f = (a: number, b: number, c: number, d: number): number => a + b + c + d;",
    says: "max-params",
  },
  {
    name: "a promise that nobody awaits (type-aware)",
    check: "lint",
    path: "packages/host/src/store/planted-promise.ts",
    text: "const f = async (): Promise<void> => {};\nexport function g(): void {\n  f();\n}",
    says: "no-floating-promises",
  },
  {
    name: "an empty catch",
    check: "lint",
    path: "packages/host/src/store/planted-catch.ts",
    text: "export function f(g: () => void): void {\n  try {\n    g();\n  } catch {}\n}",
    says: "no-empty",
  },
  {
    name: "the environment read outside main.ts",
    check: "lint",
    path: "packages/host/src/store/planted-environment.ts",
    text: "export const home = (): string | undefined => process.env.HOME;",
    says: "no-restricted-properties",
  },
  {
    name: "an import cycle",
    check: "lint",
    path: "packages/host/src/store/planted-cycle.ts",
    text: `import { b } from "./planted-cycle-back.ts";\nexport const a = (): number => b();`,
    says: "no-cycle",
  },
  {
    name: "wrong format",
    check: "format",
    path: "packages/cli/src/planted-format.ts",
    text: "export const  a = 'x'",
    says: "planted-format.ts format",
  },
  {
    name: "an undeclared dependency",
    check: "format",
    path: "packages/cli/src/planted-undeclared.ts",
    text: `import { z } from "zod";\n\nexport const a = z;\n`,
    says: "noUndeclaredDependencies",
  },
  {
    name: "a file that nothing uses",
    check: "dead code",
    path: "packages/host/src/store/planted-unused.ts",
    text: "export const a = 1;",
    says: "Unused files",
  },
  {
    name: "an import that the package's row does not allow",
    check: "graph",
    path: "packages/sdk/src/planted-import.ts",
    text: `import { parseArgs } from "commander";\nexport const a = parseArgs;`,
    says: "is not in the row of @pohunek/sdk",
  },
  {
    name: "a Node module in a browser package",
    check: "graph",
    path: "packages/protocol/src/planted-node.ts",
    text: `import { join } from "node:path";\nexport const a = join;`,
    says: "protocol and sdk also run in browsers",
  },
  {
    name: "a heavy module of Node in the worker",
    check: "graph",
    path: "packages/host/src/worker/planted-crypto.ts",
    text: `import { randomUUID } from "node:crypto";\nexport const a = randomUUID;`,
    says: "a worker loads this",
  },
  {
    name: "an import against the direction inside the host",
    check: "graph",
    path: "packages/host/src/store/planted-direction.ts",
    text: `import { main } from "../daemon/main.ts";\nexport const a = main;`,
    says: "store/ may not import daemon/",
  },
  {
    name: "a way into platform/ beside its door",
    check: "graph",
    path: "packages/host/src/store/planted-door.ts",
    text: `import { a } from "../platform/linux/proc.ts";\nexport const b = a;`,
    says: "the only door",
  },
  {
    name: "a relative import of another package",
    check: "graph",
    path: "packages/cli/src/planted-relative.ts",
    text: `import { main } from "../../host/src/daemon/main.ts";\nexport const a = main;`,
    says: "leaves its package",
  },
  {
    name: "an agent named in code",
    check: "graph",
    path: "packages/host/src/store/planted-agent.ts",
    text: `export const command = "claude";`,
    says: "names an agent",
  },
  {
    name: "an agent named inside a longer name, and in a comment",
    check: "graph",
    path: "packages/host/src/store/planted-home.ts",
    text: `// as CODEX_HOME\nexport const homeOfPi = "";`,
    says: "planted-home.ts:2: names an agent",
  },
  {
    name: "a class of 250 lines",
    check: "graph",
    path: "packages/host/src/store/planted-class.ts",
    text: `export class A {\n${lines(248, "  // line")}\n}`,
    says: "class of 250 lines",
  },
  {
    name: "state of a module",
    check: "graph",
    path: "packages/host/src/store/planted-state.ts",
    text: "export let count = 0;",
    says: "state of a module",
  },
  {
    name: "a vague name",
    check: "graph",
    path: "packages/host/src/store/utils.ts",
    text: "export const a = 1;",
    says: "says nothing",
  },
];

/** Changes of files that exist, as check, path and what the check must say. */
const CHANGED = [
  {
    name: "a dependency without a row",
    check: "graph",
    path: "packages/sdk/package.json",
    says: "@pohunek/sdk depends on left-pad",
  },
  {
    name: "a dependency that nothing imports",
    check: "dead code",
    path: "packages/sdk/package.json",
    says: "left-pad",
  },
  { name: "a generated page that was edited by hand", check: "docs", path: "docs/errors.md", says: "docs/errors.md" },
];

function plantFaults(): void {
  for (const { path, text } of FAULTS) {
    mkdirSync(dirname(join(copy, path)), { recursive: true });
    writeFileSync(join(copy, path), text);
  }
  writeFileSync(
    join(copy, "packages/host/src/store/planted-cycle-back.ts"),
    `import { a } from "./planted-cycle.ts";\nexport const b = (): number => a();`,
  );
  const manifest = join(copy, "packages/sdk/package.json");
  writeFileSync(
    manifest,
    readFileSync(manifest, "utf8").replace(`"dependencies": {`, `"dependencies": {\n    "left-pad": "1.3.0",`),
  );
  appendFileSync(join(copy, "docs/errors.md"), "\nOne more line.\n");
}

async function runCheck(name: string): Promise<{ code: number; output: string }> {
  const child = Bun.spawn([process.execPath, "scripts/check.ts", name], {
    cwd: copy,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { code, output: out + err };
}

describe("each check goes red on a planted fault", () => {
  const outcomes = new Map<string, { code: number; output: string }>();

  beforeAll(async () => {
    plantFaults();
    for (const check of new Set([...FAULTS, ...CHANGED].map((fault) => fault.check)))
      outcomes.set(check, await runCheck(check));
  }, 240_000);

  for (const { name, check, path, says } of [...FAULTS, ...CHANGED]) {
    test(`${check}: ${name}`, () => {
      const { code, output } = outcomes.get(check) ?? { code: 0, output: "" };
      expect(code).toBe(1);
      expect(output).toContain(path);
      expect(output).toContain(says);
    });
  }
});

test("the graph check fails when it finds nothing to look at", () => {
  const empty = mkdtempSync(join(tmpdir(), "empty-"));
  try {
    expect(() => readSourceFiles(empty)).toThrow("no source with an import");
  } finally {
    rmSync(empty, { recursive: true });
  }
});
