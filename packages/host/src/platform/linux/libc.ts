import { dlopen, FFIType, read } from "bun:ffi";
import { constants } from "node:os";
import { SystemError } from "../system-error.ts";

/** glibc first, then the name that musl gives its own. */
const LIBC_NAMES = ["libc.so.6", "libc.so"];

const SYMBOLS = {
  __errno_location: { args: [], returns: "ptr" },
  posix_openpt: { args: ["i32"], returns: "i32" },
  grantpt: { args: ["i32"], returns: "i32" },
  unlockpt: { args: ["i32"], returns: "i32" },
  ptsname_r: { args: ["i32", "ptr", "usize"], returns: "i32" },
  open: { args: ["ptr", "i32", "i32"], returns: "i32" },
  dup2: { args: ["i32", "i32"], returns: "i32" },
  close: { args: ["i32"], returns: "i32" },
  fcntl: { args: ["i32", "i32", "i64"], returns: "i32" },
  ioctl: { args: ["i32", "u64", "ptr"], returns: "i32" },
  read: { args: ["i32", "ptr", "usize"], returns: FFIType.i64_fast },
  write: { args: ["i32", "ptr", "usize"], returns: FFIType.i64_fast },
  socket: { args: ["i32", "i32", "i32"], returns: "i32" },
  bind: { args: ["i32", "ptr", "u32"], returns: "i32" },
  listen: { args: ["i32", "i32"], returns: "i32" },
  accept4: { args: ["i32", "ptr", "ptr", "i32"], returns: "i32" },
  recv: { args: ["i32", "ptr", "usize", "i32"], returns: FFIType.i64_fast },
  send: { args: ["i32", "ptr", "usize", "i32"], returns: FFIType.i64_fast },
  recvmsg: { args: ["i32", "ptr", "i32"], returns: FFIType.i64_fast },
  sendmsg: { args: ["i32", "ptr", "i32"], returns: FFIType.i64_fast },
  poll: { args: ["ptr", "u64", "i32"], returns: "i32" },
  tcgetpgrp: { args: ["i32"], returns: "i32" },
  tcgetattr: { args: ["i32", "ptr"], returns: "i32" },
  tcsetattr: { args: ["i32", "i32", "ptr"], returns: "i32" },
  tcflow: { args: ["i32", "i32"], returns: "i32" },
  tcflush: { args: ["i32", "i32"], returns: "i32" },
  posix_spawn: { args: ["ptr", "ptr", "ptr", "ptr", "ptr", "ptr"], returns: "i32" },
  posix_spawnattr_init: { args: ["ptr"], returns: "i32" },
  posix_spawnattr_destroy: { args: ["ptr"], returns: "i32" },
  posix_spawnattr_setflags: { args: ["ptr", "i16"], returns: "i32" },
  posix_spawnattr_setsigdefault: { args: ["ptr", "ptr"], returns: "i32" },
  posix_spawnattr_setsigmask: { args: ["ptr", "ptr"], returns: "i32" },
  posix_spawn_file_actions_init: { args: ["ptr"], returns: "i32" },
  posix_spawn_file_actions_destroy: { args: ["ptr"], returns: "i32" },
  posix_spawn_file_actions_addopen: { args: ["ptr", "i32", "ptr", "i32", "u32"], returns: "i32" },
  posix_spawn_file_actions_adddup2: { args: ["ptr", "i32", "i32"], returns: "i32" },
  posix_spawn_file_actions_addchdir_np: { args: ["ptr", "ptr"], returns: "i32" },
  sigfillset: { args: ["ptr"], returns: "i32" },
  sigemptyset: { args: ["ptr"], returns: "i32" },
  waitpid: { args: ["i32", "ptr", "i32"], returns: "i32" },
  prlimit: { args: ["i32", "i32", "ptr", "ptr"], returns: "i32" },
  syscall: { args: ["i64", "i64", "i64", "i64", "i64"], returns: "i32" },
  pipe2: { args: ["ptr", "i32"], returns: "i32" },
  setsid: { args: [], returns: "i32" },
  prctl: { args: ["i32", "u64", "u64", "u64", "u64"], returns: "i32" },
  clock_gettime: { args: ["i32", "ptr"], returns: "i32" },
  umask: { args: ["u32"], returns: "u32" },
  flock: { args: ["i32", "i32"], returns: "i32" },
  connect: { args: ["i32", "ptr", "u32"], returns: "i32" },
  getsockopt: { args: ["i32", "i32", "i32", "ptr", "ptr"], returns: "i32" },
} as const;

type Libc = ReturnType<typeof dlopen<typeof SYMBOLS>>["symbols"];

function openLibc(): Libc {
  for (const name of LIBC_NAMES) {
    try {
      return dlopen(name, SYMBOLS).symbols;
    } catch {
      // Not this C library; the next name may be there.
    }
  }
  return refusingLibc();
}

/** Loading this module must not fail on a system that it is not for. */
function refusingLibc(): Libc {
  const refusals = Object.keys(SYMBOLS).map((name) => {
    const refuse = (): never => {
      throw new SystemError("unsupported", name);
    };
    return [name, refuse];
  });
  return Object.fromEntries(refusals) as Libc;
}

/** The C library. Arguments are passed as they are: only `platform/linux` may call it. */
export const libc = openLibc();

const ERRNO_NAMES = new Map(Object.entries(constants.errno).map(([name, value]) => [value, name]));

/** Number of the last failure on this thread; read it before any other call. */
export function lastErrno(): number {
  const location = libc.__errno_location();
  return location === null ? 0 : read.i32(location, 0);
}

export function errnoName(errno: number): string {
  return ERRNO_NAMES.get(errno) ?? `errno ${errno}`;
}

/** Passes a result through, or throws what errno says when it is negative. */
export function check(result: number, syscall: string): number {
  if (result < 0) {
    throw new SystemError(errnoName(lastErrno()), syscall);
  }
  return result;
}

/** For calls that return the error number itself. */
export function checkReturned(errno: number, syscall: string): void {
  if (errno !== 0) {
    throw new SystemError(errnoName(errno), syscall);
  }
}

export function cString(text: string): Uint8Array {
  return new TextEncoder().encode(`${text}\0`);
}
