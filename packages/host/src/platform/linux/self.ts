import { ptr, toArrayBuffer } from "bun:ffi";
import { closeSync, constants, openSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import type { SelfCalls } from "../platform.ts";
import { check, cString, libc } from "./libc.ts";
import { notifyServiceManager } from "./notify.ts";

const PR_SET_PDEATHSIG = 1;
const PR_SET_NAME = 15;
const CLOCK_BOOTTIME = 7;
const RLIMIT_NOFILE = 7;
const O_CLOEXEC = 0x80000;
/** arg_start and arg_end in /proc/self/stat, counted from 0 behind the name and its parenthesis (proc_pid_stat(5), 48 and 49). */
const ARGUMENTS_START = 45;

function detachStdio(): void {
  const fd = openSync("/dev/null", constants.O_RDWR);
  for (const standard of [0, 1, 2]) {
    check(libc.dup2(fd, standard), "dup2");
  }
  if (fd > 2) {
    closeSync(fd);
  }
}

/**
 * The runtime sets close-on-exec on everything it finds at its start, so the flag does not tell what was inherited. Its
 * own descriptors at this point (epoll, eventfd, timers) are anonymous inodes; the parent's files, pipes and sockets are not.
 */
function closeInherited(keep: readonly number[]): void {
  for (const name of readdirSync("/proc/self/fd")) {
    const fd = Number(name);
    if (fd > 2 && !keep.includes(fd) && isForeign(fd)) {
      libc.close(fd);
    }
  }
}

function isForeign(fd: number): boolean {
  try {
    return !readlinkSync(`/proc/self/fd/${fd}`).startsWith("anon_inode:");
  } catch {
    // ENOENT: it was the descriptor of the directory listing.
    return false;
  }
}

/** What ps shows is read from the memory that the kernel put the arguments into. */
function showArguments(count: number, args: readonly string[]): boolean {
  const fields = (readFileSync("/proc/self/stat", "utf8").split(") ").at(-1) ?? "").split(" ");
  const [start = 0, end = 0] = fields.slice(ARGUMENTS_START, ARGUMENTS_START + 2).map(Number);
  const present = readFileSync("/proc/self/cmdline", "utf8").split("\0").slice(0, -1);
  const shown = Buffer.from([...present.slice(0, -count), ...args].map((argument) => `${argument}\0`).join(""));
  if (start === 0 || shown.length > end - start) {
    return false;
  }
  const memory = new Uint8Array(toArrayBuffer(start, 0, end - start));
  memory.fill(0);
  memory.set(shown);
  return true;
}

function openPipe(): { read: number; write: number } {
  const ends = new Int32Array(2);
  check(libc.pipe2(ptr(ends), O_CLOEXEC), "pipe2");
  return { read: ends[0] ?? -1, write: ends[1] ?? -1 };
}

/** The runtime has raised the soft limit to the hard one at its start. */
function openFilesLimit(): number {
  const limits = new BigUint64Array(2);
  check(libc.prlimit(0, RLIMIT_NOFILE, null, ptr(limits)), "prlimit");
  return Number(limits[0] ?? 0n);
}

export const selfCalls: SelfCalls = {
  startSession: () => libc.setsid() > 0,
  setParentDeathSignal: (signal) => {
    check(libc.prctl(PR_SET_PDEATHSIG, signal, 0, 0, 0), "prctl");
  },
  setUmask: (mask) => libc.umask(mask),
  setName: (name) => {
    const bytes = cString(name);
    check(libc.prctl(PR_SET_NAME, ptr(bytes), 0, 0, 0), "prctl");
  },
  showArguments,
  openPipe,
  detachStdio,
  closeInherited,
  openFilesLimit,
  uid: () => process.getuid?.() ?? -1,
  notifyServiceManager,
  nanosecondsSinceBoot() {
    const time = new BigInt64Array(2);
    check(libc.clock_gettime(CLOCK_BOOTTIME, ptr(time)), "clock_gettime");
    const [seconds = 0n, nanoseconds = 0n] = time;
    return seconds * 1_000_000_000n + nanoseconds;
  },
};
