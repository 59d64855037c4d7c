/** What the linter has no rule for: size of classes, state of modules, names of files, and that no agent is named in code. */

import { globSync } from "node:fs";
import type { Finding, SourceFile } from "./source-files.ts";
import { lineAt } from "./source-files.ts";

const MAX_CLASS_LINES = 250;

/** The code that puts hooks into an agent's settings knows that agent, and nothing else does. */
const HOOK_INSTALLERS = "packages/host/src/agents/integration/handlers/";

/** Words with an agent's name in them that the public protocol and the format of packages fix. */
const FIXED_WORDS: Record<string, string> = {
  hermes_package_not_installed: "an error code of the public protocol",
  "The Hermes package": "the sentence of that error code",
  hermes_safe_text: "a value of [input] text_policy in runtime.toml",
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

/** The agents that runtimes/ describes, however the name is written inside a longer one: demo, demoHome, ofDemo, DEMO_HOME. */
function agentNames(root: string): RegExp {
  const names = globSync("runtimes/*/runtime.toml", { cwd: root }).map((path) => path.split("/")[1] ?? "");
  const spellings = names.flatMap((name) => {
    const capital = `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
    const upper = name.toUpperCase();
    return [`(?<![A-Za-z])${name}(?![a-z])`, `${capital}(?![a-z])`, `(?<![A-Za-z])${upper}(?![A-Za-z])`];
  });
  return new RegExp(spellings.join("|"));
}

/** Agents are data under runtimes/; the host must work the same for one that does not exist yet. */
function checkAgentNames(root: string, files: readonly SourceFile[]): Finding[] {
  const names = agentNames(root);
  if (names.source === "(?:)")
    return [{ path: "runtimes", line: 1, message: "no agent is described, so none is found" }];
  const fixed = new RegExp(Object.keys(FIXED_WORDS).join("|"), "g");
  const production = files.filter((file) => file.path.startsWith("packages/") && !file.isTest);
  const unused = Object.keys(FIXED_WORDS).filter((word) => !production.some(({ text }) => text.includes(word)));
  const findings = production
    .filter((file) => !file.path.startsWith(HOOK_INSTALLERS))
    .flatMap((file) =>
      file.text.split("\n").flatMap((text, index): Finding[] => {
        if (!names.test(text.replaceAll(fixed, ""))) return [];
        const message = "names an agent, and agents are data under runtimes/";
        return [{ path: file.path, line: index + 1, message }];
      }),
    );
  const stale = unused.map((word) => ({
    path: "scripts/checks/structure.ts",
    line: 1,
    message: `${word} of FIXED_WORDS is written nowhere`,
  }));
  return [...findings, ...stale];
}

export function checkStructure(root: string, files: readonly SourceFile[]): Finding[] {
  const each = files.flatMap((file) => [...checkClasses(file), ...checkModuleState(file), ...checkNames(file)]);
  return [...each, ...checkAgentNames(root, files)];
}
