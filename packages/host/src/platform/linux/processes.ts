import { fstatSync, readdirSync, readFileSync, readlinkSync, statfsSync } from "node:fs";
import { constants } from "node:os";
import type { ProcessCalls, ProcessFacts, RunState, SignalOutcome } from "../platform.ts";
import { errnoName, lastErrno, libc } from "./libc.ts";
import { reap, spawn } from "./spawn.ts";

/** Same numbers on every architecture of Linux. */
const SYS_PIDFD_OPEN = 434;
const SYS_PIDFD_SEND_SIGNAL = 424;
/** USER_HZ: the same on every architecture that Bun runs on. */
const TICKS_PER_SECOND = 100;
const PIDFS_MAGIC = 0x50494446;
/** SIGTSTP and SIGTTOU as a mask: bash, zsh, fish and dash ignore both at their prompt. */
const STOP_SIGNALS = (1n << BigInt(constants.signals.SIGTSTP - 1)) | (1n << BigInt(constants.signals.SIGTTOU - 1));

/** State I is a sleep of the kernel's own. What runs, hangs in the kernel (D) or is held by a debugger (t) is busy. */
const RUN_STATES: Readonly<Record<string, RunState>> = { T: "stopped", S: "sleeping", I: "sleeping" };

/** Reads a file of /proc; undefined when the process is gone or not ours to look at. */
function readProc(path: string): string | undefined {
  try {
    return readFileSync(path, "latin1");
  } catch {
    // ENOENT, ESRCH: gone; EACCES, EPERM: another user's.
    return undefined;
  }
}

function readLink(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    // As above.
    return undefined;
  }
}

/** Parses /proc/PID/stat. The name in parentheses may hold anything, so fields count from the last parenthesis. */
export function parseStat(stat: string): (ProcessFacts & { readonly isDead: boolean }) | undefined {
  const nameStart = stat.indexOf("(");
  const nameEnd = stat.lastIndexOf(")");
  const fields = stat.slice(nameEnd + 2).split(" ");
  const [state, parent, group, session, , foreground] = fields;
  const startIdentity = fields[19];
  if (nameStart < 0 || nameEnd < nameStart || startIdentity === undefined) {
    return undefined;
  }
  const foregroundGroup = Number(foreground);
  return {
    pid: Number(stat.slice(0, nameStart - 1)),
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    startIdentity,
    program: stat.slice(nameStart + 1, nameEnd),
    run: RUN_STATES[state ?? ""] ?? "busy",
    cpuSeconds: fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_PER_SECOND,
    foregroundGroup: foregroundGroup > 0 ? foregroundGroup : undefined,
    // A zombie holds its pid until it is reaped, but it runs nothing any more.
    isDead: state === "Z" || state === "X",
  };
}

function readStat(pid: number): ReturnType<typeof parseStat> {
  const stat = readProc(`/proc/${pid}/stat`);
  return stat === undefined ? undefined : parseStat(stat);
}

function readProcess(pid: number): ProcessFacts | undefined {
  const facts = readStat(pid);
  return facts?.isDead ? undefined : facts;
}

function list(): ProcessFacts[] {
  const found: ProcessFacts[] = [];
  for (const name of readdirSync("/proc")) {
    const facts = /^\d+$/.test(name) ? readProcess(Number(name)) : undefined;
    if (facts) {
      found.push(facts);
    }
  }
  return found;
}

function readEnvironment(pid: number, names: readonly string[]): ReadonlyMap<string, string> | undefined {
  const environment = readProc(`/proc/${pid}/environ`);
  if (environment === undefined) {
    return undefined;
  }
  const found = new Map<string, string>();
  for (const entry of environment.split("\0")) {
    const equals = entry.indexOf("=");
    const name = entry.slice(0, equals);
    if (equals > 0 && names.includes(name)) {
      found.set(name, entry.slice(equals + 1));
    }
  }
  return found;
}

function ignoresStopSignals(pid: number): boolean {
  const ignored = /^SigIgn:\t([0-9a-f]+)$/m.exec(readProc(`/proc/${pid}/status`) ?? "")?.[1] ?? "0";
  return (BigInt(`0x${ignored}`) & STOP_SIGNALS) === STOP_SIGNALS;
}

function listOpenFiles(pid: number, limit: number): readonly string[] {
  let descriptors: readonly string[];
  try {
    descriptors = readdirSync(`/proc/${pid}/fd`);
  } catch {
    // ENOENT, ESRCH: gone; EACCES: another user's, or one that allows no look.
    return [];
  }
  const paths = descriptors.slice(0, limit).map((fd) => readLink(`/proc/${pid}/fd/${fd}`));
  // Pipes and sockets have no path, and what was deleted is no file any more.
  return paths.filter((path) => path !== undefined && path.startsWith("/") && !path.endsWith(" (deleted)")) as string[];
}

/** Opens a pidfd, checks that it names the expected process, then signals through it: the pid can't be reused in between. */
function signalProcess(
  identity: { readonly pid: number; readonly startIdentity: string },
  signal: NodeJS.Signals,
): SignalOutcome {
  const pidfd = libc.syscall(SYS_PIDFD_OPEN, identity.pid, 0, 0, 0);
  if (pidfd < 0) {
    return "gone";
  }
  try {
    if (readProcess(identity.pid)?.startIdentity !== identity.startIdentity) {
      return "gone";
    }
    if (libc.syscall(SYS_PIDFD_SEND_SIGNAL, pidfd, constants.signals[signal], 0, 0) === 0) {
      return "sent";
    }
    return errnoName(lastErrno()) === "EPERM" ? "denied" : "gone";
  } finally {
    libc.close(pidfd);
  }
}

/** The inode of a pidfd is unique for a boot since Linux 6.9, where pidfds have a file system of their own. */
function creationId(pid: number): string | undefined {
  const pidfd = libc.syscall(SYS_PIDFD_OPEN, pid, 0, 0, 0);
  if (pidfd < 0) {
    return undefined;
  }
  try {
    const isPidfs = statfsSync(`/proc/self/fd/${pidfd}`).type === PIDFS_MAGIC;
    return isPidfs ? fstatSync(pidfd, { bigint: true }).ino.toString() : undefined;
  } finally {
    libc.close(pidfd);
  }
}

export const processCalls: ProcessCalls = {
  spawn,
  reap,
  read: readProcess,
  startIdentity: (pid) => readStat(pid)?.startIdentity,
  list,
  readEnvironment,
  readCwd: (pid) => readLink(`/proc/${pid}/cwd`),
  readArguments: (pid) => readProc(`/proc/${pid}/cmdline`)?.replace(/\0$/, "").split("\0"),
  ignoresStopSignals,
  readExecutable: (pid) => readLink(`/proc/${pid}/exe`),
  listOpenFiles,
  signal: signalProcess,
  creationId,
  bootId: () => readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim(),
};
