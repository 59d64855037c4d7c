import type { Platform } from "../../platform/index.ts";

/** Processor time, in seconds, that a process and all that it started have used. Reads all processes. */
export function processorTime(rootPid: number, processes: Pick<Platform["processes"], "list">): number | undefined {
  const all = processes.list();
  const found = new Set(all.filter(({ pid, session }) => pid === rootPid || session === rootPid).map(({ pid }) => pid));
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const { pid, parent } of all) {
      if (found.has(parent)) found.add(pid);
    }
  }
  const own = all.filter(({ pid }) => found.has(pid));
  return own.length === 0 ? undefined : own.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0);
}
