import { ptr } from "bun:ffi";
import { constants } from "node:os";
import type { ChildStatus, SpawnOptions } from "../platform.ts";
import { check, checkReturned, cString, errnoName, lastErrno, libc } from "./libc.ts";

const POSIX_SPAWN_SETSIGDEF = 0x04;
const POSIX_SPAWN_SETSIGMASK = 0x08;
const POSIX_SPAWN_SETSID = 0x80;
const O_RDWR = 0x2;
const WNOHANG = 1;
const RLIMIT_NOFILE = 7;
/** posix_spawnattr_t is 336 bytes in glibc, posix_spawn_file_actions_t 80, sigset_t 128. */
const OPAQUE_BYTES = 512;

/**
 * posix_spawn changes the session before it runs the file actions, so the slave opened as descriptor 0 becomes the
 * controlling terminal of the new session. All other descriptors of ours close on exec.
 */
export function spawn(options: SpawnOptions): number {
  const attributes = new Uint8Array(OPAQUE_BYTES);
  const actions = new Uint8Array(OPAQUE_BYTES);
  const terminal = cString(options.terminal);
  const cwd = cString(options.cwd);
  checkReturned(libc.posix_spawnattr_init(ptr(attributes)), "posix_spawnattr_init");
  checkReturned(libc.posix_spawn_file_actions_init(ptr(actions)), "posix_spawn_file_actions_init");
  try {
    describeSignals(attributes);
    checkReturned(libc.posix_spawn_file_actions_addchdir_np(ptr(actions), ptr(cwd)), "addchdir");
    checkReturned(libc.posix_spawn_file_actions_addopen(ptr(actions), 0, ptr(terminal), O_RDWR, 0), "addopen");
    checkReturned(libc.posix_spawn_file_actions_adddup2(ptr(actions), 0, 1), "adddup2");
    checkReturned(libc.posix_spawn_file_actions_adddup2(ptr(actions), 0, 2), "adddup2");
    return start(options, { attributes, actions });
  } finally {
    // Only these last uses keep the memory alive: the numbers that `ptr` gives don't.
    libc.posix_spawn_file_actions_destroy(ptr(actions));
    libc.posix_spawnattr_destroy(ptr(attributes));
  }
}

/** The runtime ignores SIGPIPE and catches others; a shell that backgrounds us ignores SIGINT. The child sees none of it. */
function describeSignals(attributes: Uint8Array): void {
  const all = new Uint8Array(OPAQUE_BYTES);
  const none = new Uint8Array(OPAQUE_BYTES);
  libc.sigfillset(ptr(all));
  libc.sigemptyset(ptr(none));
  checkReturned(libc.posix_spawnattr_setsigdefault(ptr(attributes), ptr(all)), "setsigdefault");
  checkReturned(libc.posix_spawnattr_setsigmask(ptr(attributes), ptr(none)), "setsigmask");
  const flags = POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK;
  checkReturned(libc.posix_spawnattr_setflags(ptr(attributes), flags), "setflags");
}

interface SpawnDescription {
  readonly attributes: Uint8Array;
  readonly actions: Uint8Array;
}

function start(options: SpawnOptions, description: SpawnDescription): number {
  const argv = cStringArray(options.argv);
  const environment = cStringArray(Object.entries(options.env).map(([name, value]) => `${name}=${value}`));
  const file = cString(options.file);
  const pid = new Int32Array(1);
  using _limit = options.openFiles === undefined ? undefined : lowerOpenFiles(options.openFiles);
  using _mask = options.umask === undefined ? undefined : lendUmask(options.umask);
  const { attributes, actions } = description;
  const errno = libc.posix_spawn(
    ptr(pid),
    ptr(file),
    ptr(actions),
    ptr(attributes),
    ptr(argv.pointers),
    ptr(environment.pointers),
  );
  keepAlive(argv, environment);
  checkReturned(errno, "posix_spawn");
  return pid[0] ?? 0;
}

interface CStringArray {
  readonly pointers: BigUint64Array;
  /** The memory that `pointers` points into. */
  readonly block: Uint8Array;
}

function cStringArray(texts: readonly string[]): CStringArray {
  const block = new TextEncoder().encode(texts.map((text) => `${text}\0`).join(""));
  const pointers = new BigUint64Array(texts.length + 1);
  let at = 0;
  for (const index of texts.keys()) {
    pointers[index] = BigInt(ptr(block) + at);
    at = block.indexOf(0, at) + 1;
  }
  return { pointers, block };
}

/** Memory that only the kernel still uses counts as garbage to the collector; mentioning it after the call prevents that. */
function keepAlive(...arrays: readonly CStringArray[]): void {
  for (const { pointers, block } of arrays) {
    if (block.length + 1 < pointers.length) {
      throw new RangeError("Every string takes at least its NUL.");
    }
  }
}

/** The runtime raises our soft limit to the hard one; a program started by us gets an ordinary one instead. */
function lowerOpenFiles(soft: number): Disposable {
  const before = new BigUint64Array(2);
  check(libc.prlimit(0, RLIMIT_NOFILE, null, ptr(before)), "prlimit");
  const hard = before[1] ?? 0n;
  const lowered = new BigUint64Array([BigInt(soft) < hard ? BigInt(soft) : hard, hard]);
  check(libc.prlimit(0, RLIMIT_NOFILE, ptr(lowered), null), "prlimit");
  return {
    [Symbol.dispose]: () => {
      libc.prlimit(0, RLIMIT_NOFILE, ptr(before), null);
    },
  };
}

function lendUmask(mask: number): Disposable {
  const before = libc.umask(mask);
  return {
    [Symbol.dispose]: () => {
      libc.umask(before);
    },
  };
}

const SIGNAL_NAMES = new Map(Object.entries(constants.signals).map(([name, value]) => [value, name]));

export function reap(pid: number): ChildStatus {
  const status = new Int32Array(1);
  const result = libc.waitpid(pid, ptr(status), WNOHANG);
  if (result === 0) {
    return { kind: "running" };
  }
  if (result < 0) {
    const name = errnoName(lastErrno());
    return { kind: name === "EINTR" ? "running" : "unknown" };
  }
  const value = status[0] ?? 0;
  const signal = value & 0x7f;
  return signal === 0
    ? { kind: "exited", code: (value >> 8) & 0xff }
    : { kind: "signaled", signal: SIGNAL_NAMES.get(signal) ?? `SIG${signal}` };
}
