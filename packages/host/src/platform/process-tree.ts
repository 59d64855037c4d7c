import type { ProcessCalls, ProcessFacts } from "./platform.ts";

/** Environment variables by which the processes of a session are found again. */
export const SESSION_MARKER = "POHUNEK_SESSION_ID";
const WORKER_MARKER = "POHUNEK_WORKER_ID";
const GENERATION_MARKER = "POHUNEK_WORKER_INSTANCE_ID";

export interface GenerationMarks {
  readonly sessionId: string;
  readonly workerId: string;
  readonly runtimeId: string;
}

export interface TreeSearch {
  readonly marks: GenerationMarks;
  /** First process of the generation: while it lives, its session and descendants belong to it without marks. */
  readonly root?: { readonly pid: number; readonly startIdentity: string };
  /** The caller knows that this terminal session is the generation's, though its leader may be dead. */
  readonly session?: number;
  /** Never part of the result: the worker, its daemon. */
  readonly except: readonly number[];
}

export interface GenerationProcesses {
  readonly members: readonly ProcessFacts[];
  /**
   * Marked with the session and a worker but not with a generation: started under other rules, so whose it is can't be
   * told. Such a process is named, never signalled.
   */
  readonly unclear: readonly ProcessFacts[];
}

/** Finds the living processes of one generation: by descent, by terminal session, and by the marks in their environment. */
export function findGeneration(processes: ProcessCalls, search: TreeSearch): GenerationProcesses {
  const all = processes.list().filter(({ pid }) => !search.except.includes(pid));
  const related = descendants(all, search);
  const members: ProcessFacts[] = [];
  const unclear: ProcessFacts[] = [];
  for (const candidate of all) {
    const claim = related.has(candidate.pid) ? "member" : readClaim(processes, candidate.pid, search.marks);
    if (claim === "member") {
      members.push(candidate);
    } else if (claim === "unclear") {
      unclear.push(candidate);
    }
  }
  return { members, unclear };
}

function descendants(all: readonly ProcessFacts[], search: TreeSearch): ReadonlySet<number> {
  const { root, session } = search;
  const living = all.find((each) => each.pid === root?.pid && each.startIdentity === root.startIdentity);
  const sessions = [session, living?.pid];
  const found = new Set(all.filter((each) => sessions.includes(each.session)).map(({ pid }) => pid));
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const { pid, parent } of all) {
      if (found.has(parent)) {
        found.add(pid);
      }
    }
  }
  return found;
}

function readClaim(processes: ProcessCalls, pid: number, marks: GenerationMarks): "member" | "unclear" | "none" {
  const marked = processes.readEnvironment(pid, [SESSION_MARKER, WORKER_MARKER, GENERATION_MARKER]);
  if (!marked) {
    return "none";
  }
  const generation = marked.get(GENERATION_MARKER);
  if (generation !== undefined) {
    return generation === marks.runtimeId ? "member" : "none";
  }
  return marked.get(SESSION_MARKER) === marks.sessionId && marked.has(WORKER_MARKER) ? "unclear" : "none";
}
