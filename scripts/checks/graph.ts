/**
 * The import graph: who may depend on whom, as literal tables with the reason, compared with every package.json and every
 * import. A row that nothing uses any more is a finding too.
 */

import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import type { Finding, SourceFile } from "./source-files.ts";

/** Package -> the packages it may depend on, and why. */
const PACKAGES: Record<string, Record<string, string>> = {
  "@pohunek/protocol": {
    zod: "declares every message once; the only dependency that a browser client inherits",
  },
  "@pohunek/sdk": {
    "@pohunek/protocol": "speaks the public protocol",
  },
  "@pohunek/host": {
    "@pohunek/protocol": "serves the public protocol",
    "libghostty-vt-node": "the terminal state engine, one WebAssembly module (decision 0004)",
  },
  "@pohunek/cli": {
    "@pohunek/protocol": "codes, limits and shapes on the wire",
    "@pohunek/sdk": "the only way to a host",
  },
};

/** Folder of packages/host/src -> the folders, or the files in them, that it may import. */
const HOST_FOLDERS: Record<string, readonly string[]> = {
  daemon: ["sessions", "detect", "agents", "store", "supervision", "logs", "worker-api", "platform", "runtime"],
  hook: ["agents", "worker-api", "platform"],
  detect: ["agents", "worker", "worker-api"],
  worker: ["logs", "worker-api", "platform", "runtime"],
  sessions: ["agents", "store", "supervision", "logs", "worker-api", "platform"],
  agents: ["store", "worker-api", "platform"],
  supervision: ["logs", "worker-api", "platform"],
  store: ["logs", "platform"],
  logs: ["platform"],
  "worker-api": ["platform"],
  platform: [],
  runtime: [],
};

/** Built-in modules: which paths may import them. Pure packages run in browsers, so they get none but for the named file. */
const BUILTINS: readonly { readonly modules: RegExp; readonly in: RegExp; readonly reason: string }[] = [
  {
    modules: /^bun:ffi$/,
    in: /^packages\/(host\/src\/platform|cli\/src\/terminal)\/|^bench\/descriptor\.ts$/,
    reason: "the kernel is called from the host's platform/ and the CLI's terminal/ (raw mode, window size) alone",
  },
  {
    modules: /^bun:sqlite$/,
    in: /^packages\/host\/src\/store\/|^test\//,
    reason: "the database is opened by store/ alone",
  },
  { modules: /^bun:jsc$/, in: /^packages\/host\/src\/|^bench\//, reason: "only the host tunes its runtime" },
  {
    modules: /^node:(?!(?:fs|os|path)$)/,
    in: /^packages\/host\/src\/(?!platform\/|worker\/|worker-api\/)|^packages\/cli\/|^packages\/sdk\/src\/node|^(test|bench|scripts)\//,
    reason: "a worker loads this: node:net, node:crypto and node:util cost each one 0.5 to 1.5 MiB",
  },
  {
    modules: /^node:/,
    in: /^packages\/(host|cli)\/|^packages\/sdk\/src\/node|^(test|bench|scripts)\//,
    reason: "protocol and sdk also run in browsers",
  },
  { modules: /^bun:test$/, in: /\.test\.ts$|^test\//, reason: "tests only" },
  {
    modules: /^bun$/,
    in: /^packages\/(host|cli)\/|^(test|bench|scripts)\//,
    reason: "protocol and sdk also run on Node and in browsers",
  },
];

/** Imports that a rule refuses and that are right all the same. */
const EXCEPTIONS: readonly { readonly from: RegExp; readonly to: RegExp; readonly reason: string }[] = [
  {
    from: /^packages\/host\/src\/worker\/engine\/ghostty-runtime\.ts$/,
    to: /node_modules\/libghostty-vt-node\/wasm\/ghostty-vt\.wasm$/,
    reason: "the package's exports hide the module that is embedded into the program",
  },
  {
    from: /^test\/terminal\//,
    to: /^(\.\.\/)+packages\/host\/src\/worker\/((engine|repaint)\/[a-z-]+|attach-stream|output-ring|picture-stream)\.ts$/,
    reason:
      "the engine is compared with another, and what a viewer gets with the screen, byte by byte and without a process",
  },
  {
    from: /^test\/(worker|platform)\//,
    to: /^(\.\.\/)+packages\/host\/src\/(worker|worker-api|supervision|platform)\/[a-z-]+\.ts$/,
    reason: "a worker speaks a private protocol, which its tests must speak too; the kernel is asked without a process",
  },
  {
    from: /^test\/detection\//,
    to: /^(\.\.\/)+packages\/host\/src\/(agents\/detection|detect)\/[a-z-]+\.ts$/,
    reason: "recordings of a minute are played in milliseconds, against rules that a process would hide",
  },
  {
    from: /^test\/cli\/restore-random\.test\.ts$/,
    to: /^\.\.\/\.\.\/packages\/cli\/src\/attach\/output-tracker\.ts$/,
    reason: "a thousand mixtures are shown to two engines of other packages; one process for each would take minutes",
  },
  {
    from: /^bench\//,
    to: /^(\.\.\/)+packages\/host\/src\/(platform\/index|worker(\/engine|\/repaint)?\/[a-z-]+)\.ts$/,
    reason: "the benchmark opens and reads PTYs as the worker does and times its parts alone",
  },
];

const packageOf = (specifier: string): string => specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
const workspaceOf = (path: string): string => /^packages\/([^/]+)\//.exec(path)?.[1] ?? "";
const hostFolderOf = (path: string): string | undefined => /^packages\/host\/src\/([^/]+)/.exec(path)?.[1];

interface Manifest {
  readonly name: string;
  readonly dependencies?: Record<string, string>;
}

function checkManifests(root: string): Finding[] {
  const paths = globSync("packages/*/package.json", { cwd: root });
  const names = new Set<string>();
  const findings = paths.flatMap((path): Finding[] => {
    const manifest = JSON.parse(readFileSync(join(root, path), "utf8")) as Manifest;
    names.add(manifest.name);
    const allowed = Object.keys(PACKAGES[manifest.name] ?? {});
    const declared = Object.keys(manifest.dependencies ?? {});
    const extra = declared
      .filter((name) => !allowed.includes(name))
      .map((name) => `depends on ${name}, which its row does not allow`);
    const stale = allowed
      .filter((name) => !declared.includes(name))
      .map((name) => `does not depend on ${name}, so its row is stale`);
    return [...extra, ...stale].map((what) => ({ path, line: 1, message: `${manifest.name} ${what}` }));
  });
  const missing = Object.keys(PACKAGES).filter((name) => !names.has(name));
  return [
    ...findings,
    ...missing.map((name) => ({ path: "packages", line: 1, message: `no package is called ${name}` })),
  ];
}

function judgeRelative(source: SourceFile, specifier: string): string | undefined {
  const target = normalize(join(dirname(source.path), specifier));
  const workspace = workspaceOf(source.path);
  if (workspaceOf(target) !== workspace) return "leaves its package; use the other package's exports";
  const [from, to] = [hostFolderOf(source.path), hostFolderOf(target)];
  if (from === undefined || to === undefined) return undefined;
  const allowed = HOST_FOLDERS[from];
  if (allowed === undefined) return `host folder ${from} has no row in HOST_FOLDERS`;
  const file = target.slice("packages/host/src/".length);
  if (from !== to && !allowed.includes(to) && !allowed.includes(file)) return `${from}/ may not import ${to}/`;
  if (from !== to && to === "platform" && target !== "packages/host/src/platform/index.ts")
    return "platform/index.ts is the only door to platform/";
  return undefined;
}

function isException(file: SourceFile, specifier: string, { from, to }: (typeof EXCEPTIONS)[number]): boolean {
  return from.test(file.path) && to.test(specifier);
}

function judgeImport(file: SourceFile, specifier: string): string | undefined {
  if (EXCEPTIONS.some((exception) => isException(file, specifier, exception))) return undefined;
  if (specifier.startsWith(".")) return judgeRelative(file, specifier);
  if (/^(node|bun):|^bun$/.test(specifier)) {
    const rule = BUILTINS.find(({ modules }) => modules.test(specifier));
    if (rule === undefined) return "is a built-in module without a row in BUILTINS";
    return rule.in.test(file.path) ? undefined : rule.reason;
  }
  const workspace = workspaceOf(file.path);
  if (workspace === "") return undefined;
  return packageOf(specifier) in (PACKAGES[`@pohunek/${workspace}`] ?? {})
    ? undefined
    : `is not in the row of @pohunek/${workspace}`;
}

function findStaleExceptions(files: readonly SourceFile[]): Finding[] {
  const isUsed = (exception: (typeof EXCEPTIONS)[number]): boolean =>
    files.some((file) => file.imports.some(({ specifier }) => isException(file, specifier, exception)));
  return EXCEPTIONS.filter((exception) => !isUsed(exception)).map(({ from }) => ({
    path: "scripts/checks/graph.ts",
    line: 1,
    message: `the exception for ${from} is needed by no import`,
  }));
}

export function checkGraph(root: string, files: readonly SourceFile[]): Finding[] {
  const findings = [...checkManifests(root), ...findStaleExceptions(files)];
  for (const file of files) {
    for (const { specifier, line } of file.imports) {
      const problem = judgeImport(file, specifier);
      if (problem !== undefined)
        findings.push({ path: file.path, line, message: `import of "${specifier}": ${problem}` });
    }
  }
  return findings;
}
