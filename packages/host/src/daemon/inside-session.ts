import type { ProcessCalls } from "../platform/index.ts";
import { SESSION_MARKER } from "../platform/index.ts";
import type { Registry } from "../sessions/registry.ts";

/** Ancestors that are looked at; a deeper tree than this is not one that a person has started. */
const ANCESTORS = 64;

/**
 * The session in whose process tree a process runs: by its ancestors and terminal sessions, which it cannot change, else
 * by the marker in the environment it was started with. Undefined for a process outside of all sessions.
 */
export function findEnclosingSession(
  pid: number,
  options: { processes: ProcessCalls; registry: Registry },
): string | undefined {
  const { processes, registry } = options;
  const roots = new Map<number, string>();
  for (const { record, live } of registry.all) {
    if (live !== undefined && record.runtime.childPid !== undefined) {
      roots.set(record.runtime.childPid, record.id);
    }
  }
  for (let step = 0, current = pid; step < ANCESTORS && current > 1; step += 1) {
    const facts = processes.read(current);
    if (facts === undefined) {
      break;
    }
    const found = roots.get(facts.pid) ?? roots.get(facts.session);
    if (found !== undefined) {
      return found;
    }
    current = facts.parent;
  }
  const marker = processes.readEnvironment(pid, [SESSION_MARKER])?.get(SESSION_MARKER);
  return marker !== undefined && registry.find(marker) !== undefined ? marker : undefined;
}
