import { readdirSync, readFileSync } from "node:fs";

/** Reads a file of /proc; empty when the process is gone or another user's. */
function readProc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "latin1");
  } catch {
    return "";
  }
}

/** State letter of a process; undefined when it is gone. */
function stateOf(pid: number): string | undefined {
  return /\) (\S)/.exec(readProc(pid, "stat"))?.[1];
}

/** A dead process may stay a zombie while PID 1 has not reaped it: states Z and X count as dead. */
export function isAlive(pid: number): boolean {
  const state = stateOf(pid);
  return state !== undefined && state !== "Z" && state !== "X";
}

export function commandLineOf(pid: number): string {
  return readProc(pid, "cmdline").replaceAll("\0", " ").trim();
}

/** Variables that the process was started with. */
export function environmentOf(pid: number): Map<string, string> {
  const entries = readProc(pid, "environ")
    .split("\0")
    .filter((entry) => entry.includes("="));
  return new Map(entries.map((entry) => [entry.slice(0, entry.indexOf("=")), entry.slice(entry.indexOf("=") + 1)]));
}

/** What tells a process from those that had its pid before. */
export function startIdentityOf(pid: number): string {
  return readProc(pid, "stat").split(") ").at(-1)?.split(" ")[19] ?? "";
}

export function parentOf(pid: number): number {
  return Number(/\) \S (\d+)/.exec(readProc(pid, "stat"))?.[1] ?? 0);
}

/** Living processes, except this one, whose command line or environment mentions `text`. */
export function processesMentioning(text: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => pid !== process.pid && isAlive(pid))
    .filter((pid) => commandLineOf(pid).includes(text) || readProc(pid, "environ").includes(text));
}

/** Open descriptors of a process. */
export function descriptorCount(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

/** Processor time that a process has used, in ms (100 ticks a second on every Linux that runs this). */
export function processorMs(pid: number): number {
  const fields = readProc(pid, "stat")
    .replace(/^.*\) /, "")
    .split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Resident memory that counts for this process alone and its share of the rest, in KiB. */
export function proportionalKib(pid: number): number {
  return Number(/^Pss:\s+(\d+)/m.exec(readProc(pid, "smaps_rollup"))?.[1] ?? 0);
}
