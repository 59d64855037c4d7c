import { readFileSync } from "node:fs";

const KIB_PER_MIB = 1024;
/** USER_HZ is 100 on every Linux. */
const TICK_MS = 10;

/** Proportional set size: pages that processes share count once, split among them. */
export function readPssMib(pid: number): number {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
  return Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1]) / KIB_PER_MIB;
}

/**
 * The part of it that is no file's: what a process may grow by. Pages of the program cost it less the more others run the
 * program at the moment, which would look like growth when they end.
 */
export function readOwnMib(pid: number): number {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
  return Number(/^Pss_Anon:\s+(\d+) kB/m.exec(rollup)?.[1]) / KIB_PER_MIB;
}

/** Time on a processor of all threads, those that have ended too: user and system time, fields 14 and 15 of proc_pid_stat(5). */
export function readCpuMs(pid: number): number {
  const afterName = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1) ?? "";
  const [user, system] = afterName.split(" ").slice(11, 13);
  return (Number(user) + Number(system)) * TICK_MS;
}

/** How often its first thread went to sleep, so how often it was woken. */
export function readWakeUps(pid: number): number {
  return Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
}
