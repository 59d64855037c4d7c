import { basename } from "node:path";
import type { Platform, ProcessFacts } from "../../platform/index.ts";

export type LookedAtProcesses = Pick<
  Platform["processes"],
  "read" | "list" | "readArguments" | "readExecutable" | "startIdentity"
>;

export interface RecognizedAgent {
  readonly runtimeId: string;
  readonly pid: number;
  readonly startIdentity: string;
  /** Programs change their name and arguments while they run, but not this. */
  readonly executable: string | undefined;
}

/** Runtime ids by the base names of their programs. */
export type ProcessNames = ReadonlyMap<string, string>;

/** Programs that run others: what they were given to run names the agent. */
const INTERPRETERS = /^(?:node|nodejs|bun|deno|python[\d.]*|ruby|perl|sh|bash|dash|zsh|ksh|fish|env)$/;
const SCRIPT_SUFFIX = /\.(?:[cm]?js|[cm]?ts|py|rb|sh)$/;

/** The leader of a process group as an agent. */
export function recognizeLeader(
  group: number,
  names: ProcessNames,
  processes: LookedAtProcesses,
): RecognizedAgent | undefined {
  const leader = processes.read(group);
  return leader === undefined ? undefined : recognize(leader, names, processes);
}

/** The oldest member of exactly this group that is an agent: a wrapper may lead it. Reads all processes. */
export function recognizeMember(
  group: number,
  names: ProcessNames,
  processes: LookedAtProcesses,
): RecognizedAgent | undefined {
  const members = processes.list().filter((each) => each.group === group);
  members.sort((one, other) => Number(one.startIdentity) - Number(other.startIdentity));
  for (const member of members) {
    const found = recognize(member, names, processes);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Whether it is still the program that was recognised, whatever it calls itself now. Undefined: it can't be looked at. */
export function isStill(agent: RecognizedAgent, processes: LookedAtProcesses): boolean | undefined {
  const now = processes.read(agent.pid);
  if (now === undefined) return processes.startIdentity(agent.pid) === undefined ? false : undefined;
  return now.startIdentity === agent.startIdentity && processes.readExecutable(agent.pid) === agent.executable;
}

function recognize(
  process: ProcessFacts,
  names: ProcessNames,
  processes: LookedAtProcesses,
): RecognizedAgent | undefined {
  const runtimeId = names.get(process.program) ?? nameOfArguments(processes.readArguments(process.pid) ?? [], names);
  const { pid, startIdentity } = process;
  return runtimeId === undefined
    ? undefined
    : { runtimeId, pid, startIdentity, executable: processes.readExecutable(pid) };
}

function nameOfArguments([program = "", ...rest]: readonly string[], names: ProcessNames): string | undefined {
  // A login shell has a dash before its name.
  const name = basename(program).replace(/^-/, "");
  const own = names.get(name);
  if (own !== undefined || !INTERPRETERS.test(name)) return own;
  const script = basename(rest.find((argument) => !argument.startsWith("-")) ?? "");
  return names.get(script) ?? names.get(script.replace(SCRIPT_SUFFIX, ""));
}
