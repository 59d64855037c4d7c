import { basename } from "node:path";
import type { ProcessCalls, ProcessFacts } from "./platform.ts";

/** Programs that run others: what they were given to run is what they are. */
const INTERPRETERS = /^(?:node|nodejs|bun|deno|python[\d.]*|ruby|perl|sh|bash|dash|zsh|ksh|fish|env)$/;
const SCRIPT_SUFFIX = /\.(?:[cm]?js|[cm]?ts|py|rb|sh)$/;

/** Whether a process is called by one of these names: its own, that of its program, or of the script that it runs. */
export function isNamedProcess(
  { pid, program }: Pick<ProcessFacts, "pid" | "program">,
  names: readonly string[],
  processes: Pick<ProcessCalls, "readArguments">,
): boolean {
  if (names.includes(program)) {
    return true;
  }
  const [first = "", ...rest] = processes.readArguments(pid) ?? [];
  const name = basename(first);
  if (names.includes(name) || !INTERPRETERS.test(name)) {
    return names.includes(name);
  }
  const script = basename(rest.find((word) => !word.startsWith("-")) ?? "");
  return names.includes(script) || names.includes(script.replace(SCRIPT_SUFFIX, ""));
}
