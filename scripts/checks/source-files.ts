/** Reads the TypeScript sources of the workspace once for the structural checks: what each file imports, and its syntax tree. */

import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Program } from "oxc-parser";
import { parseSync } from "oxc-parser";

interface ImportOf {
  readonly specifier: string;
  readonly line: number;
}

export interface SourceFile {
  /** Path from the root of the workspace, with `/`. */
  readonly path: string;
  readonly text: string;
  readonly program: Program;
  readonly imports: readonly ImportOf[];
  readonly isTest: boolean;
}

export interface Finding {
  readonly path: string;
  readonly line: number;
  readonly message: string;
}

const PATTERNS = ["packages/*/src/**/*.ts", "test/**/*.ts", "bench/**/*.ts", "scripts/**/*.ts"];

export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}

function parseSource(path: string, text: string): SourceFile {
  const { program, module } = parseSync(path, text, { astType: "ts" });
  const requests = [
    ...module.staticImports.map((entry) => entry.moduleRequest),
    ...module.staticExports.flatMap((entry) => entry.entries.flatMap((item) => item.moduleRequest ?? [])),
    ...module.dynamicImports.map(({ moduleRequest: { start, end } }) => ({
      value: text.slice(start + 1, end - 1),
      start,
    })),
  ];
  const inTypes = [...text.matchAll(/\bimport\("([^"]+)"\)\./g)].map((match) => ({
    value: match[1] ?? "",
    start: match.index,
  }));
  const imports = [...requests, ...inTypes].map(({ value, start }) => ({
    specifier: value,
    line: lineAt(text, start),
  }));
  return { path, text, program, imports, isTest: path.endsWith(".test.ts") };
}

/** A check that looked at nothing would always be green, so an empty workspace is an error. */
export function readSourceFiles(root: string): SourceFile[] {
  const paths = PATTERNS.flatMap((pattern) => globSync(pattern, { cwd: root })).filter(
    (path) => !path.endsWith(".d.ts"),
  );
  const files = paths.sort().map((path) => parseSource(path, readFileSync(join(root, path), "utf8")));
  if (!files.some((file) => file.imports.length > 0)) throw new Error(`no source with an import found under ${root}`);
  return files;
}
