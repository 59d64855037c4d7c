import type { ProcessCalls } from "../platform/index.ts";
import { SESSION_MARKER } from "../platform/index.ts";
import { hasEnded } from "../sessions/lifecycle.ts";
import type { Registry } from "../sessions/registry.ts";

/** Ancestors that are looked at; a deeper tree than this is not one that a person has started. */
const ANCESTORS = 64;
/** Open files of one process that are looked at: more than a program has that shows one terminal in another. */
const OPEN_FILES = 256;

interface Sources {
  readonly processes: Pick<ProcessCalls, "read" | "readEnvironment" | "listOpenFiles">;
  readonly registry: Registry;
}

/**
 * The session in whose terminal a process shows what it prints: by its ancestors and terminal sessions, which it cannot
 * change, else by the marker in the environment it was started with, else by the terminals that it and those hold open who
 * gave it a terminal of its own. Undefined for a process outside of all sessions.
 */
export function findEnclosingSession(pid: number, { processes, registry }: Sources): string | undefined {
  const roots = new Map<number, string>();
  const terminals = new Map<string, string>();
  for (const { record, live } of registry.all) {
    if (live !== undefined && record.runtime.childPid !== undefined) {
      roots.set(record.runtime.childPid, record.id);
    }
    if (live?.tty !== undefined && !hasEnded(record)) {
      terminals.set(live.tty, record.id);
    }
  }
  /** The process itself, and each above it that started a terminal session: `script`, tmux, a terminal emulator. */
  const borders = [pid];
  let session: number | undefined;
  for (let step = 0, current = pid; step < ANCESTORS && current > 1; step += 1) {
    const facts = processes.read(current);
    if (facts === undefined) {
      break;
    }
    const found = roots.get(facts.pid) ?? roots.get(facts.session);
    if (found !== undefined) {
      return found;
    }
    if (session !== undefined && facts.session !== session) {
      borders.push(current);
    }
    session = facts.session;
    current = facts.parent;
  }
  const marker = processes.readEnvironment(pid, [SESSION_MARKER])?.get(SESSION_MARKER);
  if (marker !== undefined && registry.find(marker) !== undefined) {
    return marker;
  }
  return terminals.size === 0 ? undefined : findByTerminal(borders, terminals, processes);
}

function findByTerminal(
  pids: readonly number[],
  terminals: ReadonlyMap<string, string>,
  processes: Sources["processes"],
): string | undefined {
  for (const pid of pids) {
    for (const path of processes.listOpenFiles(pid, OPEN_FILES)) {
      const found = terminals.get(path);
      if (found !== undefined) {
        return found;
      }
    }
  }
  return undefined;
}
