import { readdirSync, readlinkSync } from "node:fs";

/** What the descriptors of a process point at, by number; ones that close while we look are left out. */
export function descriptorsOf(pid: number): Map<number, string> {
  const found = new Map<number, string>();
  for (const fd of readdirSync(`/proc/${pid}/fd`)) {
    try {
      found.set(Number(fd), readlinkSync(`/proc/${pid}/fd/${fd}`));
    } catch {
      // ENOENT: closed meanwhile.
    }
  }
  return found;
}
