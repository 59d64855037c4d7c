/** What the linter has no rule for: size of classes, state of modules, names of files, and that no agent is named in code. */

import type { Finding, SourceFile } from "./source-files.ts";
import { lineAt } from "./source-files.ts";

const MAX_CLASS_LINES = 250;

/** Agents are data under runtimes/; the host must work the same for one that does not exist yet. */
const AGENT_NAMES = /\b(claude|codex|opencode|gemini|qwen|copilot|aider|hermes)\b/i;

/** Every production line that names one all the same: how many, and why it must. */
const PINNED_AGENT_LINES: Record<string, { readonly lines: number; readonly reason: string }> = {
  "packages/protocol/src/wire/errors/cli-errors.ts": {
    lines: 1,
    reason: "the public protocol fixes this error code",
  },
};

/** Such a name says that nobody decided what the file is about. */
const VAGUE_NAMES = /^(utils?|common|types|helpers?|misc|shared|.*-(manager|helper|util))$/;

interface Span {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}

function isSpan(value: unknown): value is Span {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}

function* walk(node: Span): Generator<Span> {
  yield node;
  for (const value of Object.values(node) as unknown[]) {
    for (const child of Array.isArray(value) ? (value as unknown[]) : [value]) if (isSpan(child)) yield* walk(child);
  }
}

function checkClasses(file: SourceFile): Finding[] {
  const classes = [...walk(file.program)].filter(
    (node) => node.type === "ClassDeclaration" || node.type === "ClassExpression",
  );
  return classes.flatMap((node) => {
    const [first, last] = [lineAt(file.text, node.start), lineAt(file.text, node.end)];
    const lines = last - first + 1;
    return lines < MAX_CLASS_LINES
      ? []
      : [{ path: file.path, line: first, message: `class of ${lines} lines, the limit is under ${MAX_CLASS_LINES}` }];
  });
}

function checkModuleState(file: SourceFile): Finding[] {
  if (!file.path.startsWith("packages/") || file.isTest) return [];
  const mutable = file.program.body
    .map((statement) => (statement.type === "ExportNamedDeclaration" ? statement.declaration : statement))
    .filter((statement) => statement?.type === "VariableDeclaration" && statement.kind === "let");
  return mutable.flatMap((statement) =>
    statement === null
      ? []
      : [
          {
            path: file.path,
            line: lineAt(file.text, statement.start),
            message: "state of a module; let main.ts build an owner for it",
          },
        ],
  );
}

function checkNames(file: SourceFile): Finding[] {
  const vague = file.path
    .replace(/(\.test)?\.ts$/, "")
    .split("/")
    .filter((part) => VAGUE_NAMES.test(part));
  return vague.map((part) => ({
    path: file.path,
    line: 1,
    message: `"${part}" says nothing; call it after the one thing in it`,
  }));
}

function linesNamingAgents(file: SourceFile): number[] {
  return file.text.split("\n").flatMap((text, index) => (AGENT_NAMES.test(text) ? [index + 1] : []));
}

function checkAgentNames(files: readonly SourceFile[]): Finding[] {
  const production = files.filter((file) => file.path.startsWith("packages/") && !file.isTest);
  const findings = production.flatMap((file) => {
    const lines = linesNamingAgents(file);
    if (lines.length === (PINNED_AGENT_LINES[file.path]?.lines ?? 0)) return [];
    const message = "names an agent, and agents are data under runtimes/ (or its row in PINNED_AGENT_LINES is stale)";
    return [{ path: file.path, line: lines[0] ?? 1, message }];
  });
  const gone = Object.keys(PINNED_AGENT_LINES).filter((path) => !production.some((file) => file.path === path));
  return [...findings, ...gone.map((path) => ({ path, line: 1, message: "pinned in PINNED_AGENT_LINES but gone" }))];
}

export function checkStructure(files: readonly SourceFile[]): Finding[] {
  const each = files.flatMap((file) => [...checkClasses(file), ...checkModuleState(file), ...checkNames(file)]);
  return [...each, ...checkAgentNames(files)];
}
