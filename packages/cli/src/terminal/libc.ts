import { dlopen } from "bun:ffi";

/**
 * The C library of a system, by the name that it has there, with the numbers that differ between them. The first that
 * loads is this system's. `cfmakeraw` and opaque buffers keep every structure layout out of this program.
 */
const LINUX = {
  openFlags: 0o4401,
  announced: { open: 0o4400, set: 0o24000 },
  windowSizeRequest: 0x5413n,
  peerLevel: 1,
  peerOption: 17,
};
const DARWIN = {
  openFlags: 0x20005,
  announced: undefined,
  windowSizeRequest: 0x40087468n,
  peerLevel: 0,
  peerOption: 2,
};

const LIBRARIES: readonly Library[] = [
  { name: "libc.so.6", ...LINUX },
  { name: "libc.musl-x86_64.so.1", ...LINUX },
  { name: "libc.musl-aarch64.so.1", ...LINUX },
  { name: "/usr/lib/libSystem.B.dylib", ...DARWIN },
];

interface Library {
  readonly name: string;
  /** O_WRONLY | O_NONBLOCK | O_NOCTTY */
  readonly openFlags: number;
  /**
   * O_RDONLY | O_NONBLOCK | O_NOCTTY, and O_NONBLOCK | O_ASYNC; absent where opening a descriptor anew only duplicates it, so
   * that these flags would be the shell's as well.
   */
  readonly announced: { readonly open: number; readonly set: number } | undefined;
  /** TIOCGWINSZ */
  readonly windowSizeRequest: bigint;
  /** SOL_SOCKET and SO_PEERCRED, or SOL_LOCAL and LOCAL_PEERPID: both answers begin with the process id. */
  readonly peerLevel: number;
  readonly peerOption: number;
}

/** The same everywhere. */
const LOCK_EX = 2;
const F_SETFL = 4;
/** On Linux, where it is used. */
const F_SETOWN = 8;

/** What every command needs; each symbol takes its time to load. */
const FIRST_SYMBOLS = {
  isatty: { args: ["i32"], returns: "i32" },
  ioctl: { args: ["i32", "u64", "ptr"], returns: "i32" },
  write: { args: ["i32", "ptr", "u64"], returns: "i64" },
} as const;

const OTHER_SYMBOLS = {
  tcgetattr: { args: ["i32", "ptr"], returns: "i32" },
  tcsetattr: { args: ["i32", "i32", "ptr"], returns: "i32" },
  cfmakeraw: { args: ["ptr"], returns: "void" },
  open: { args: ["cstring", "i32"], returns: "i32" },
  close: { args: ["i32"], returns: "i32" },
  fcntl: { args: ["i32", "i32", "i32"], returns: "i32" },
  read: { args: ["i32", "ptr", "u64"], returns: "i64" },
  flock: { args: ["i32", "i32"], returns: "i32" },
  getsockopt: { args: ["i32", "i32", "i32", "ptr", "ptr"], returns: "i32" },
} as const;

/** The calls of the C library that this program makes. */
export interface LibraryCalls {
  isatty(fd: number): number;
  tcgetattr(fd: number, settings: Uint8Array): number;
  tcsetattr(fd: number, when: number, settings: Uint8Array): number;
  cfmakeraw(settings: Uint8Array): void;
  /** Opens for writing without ever waiting, and without making it the controlling terminal. A descriptor, or -1. */
  openForWriting(path: string): number;
  /** Opens for reading without ever waiting; SIGIO announces what can be read. A descriptor, or -1. */
  openAnnounced(path: string): number;
  close(fd: number): number;
  /** How many bytes came, 0 at the end, or -1 when there is nothing now. */
  read(fd: number, target: Uint8Array): number;
  /** How many bytes were taken, or -1. */
  write(fd: number, bytes: Uint8Array, length: number): number;
  /** ioctl(TIOCGWINSZ) */
  getWindowSize(fd: number, size: Uint16Array): number;
  /** flock(LOCK_EX): waits for the lock, which ends with the descriptor. */
  lock(fd: number): number;
  /** The process that listens at the other end of a connected Unix socket. */
  peerPid(fd: number): number | undefined;
}

/** Loads this system's C library, in a tenth of a millisecond, where `node:tty` takes three and `process.stdin` nine. */
export function loadLibraryCalls(): LibraryCalls {
  const problems: unknown[] = [];
  for (const library of LIBRARIES) {
    try {
      return callsOf(library);
    } catch (cause) {
      // Not this system's library: the next one is tried, and all the reasons are told when none loads.
      problems.push(cause);
    }
  }
  throw new AggregateError(problems, "no C library could be loaded");
}

function callsOf(library: Library): LibraryCalls {
  const { symbols } = dlopen(library.name, FIRST_SYMBOLS);
  let loaded: OtherSymbols | undefined;
  const others = (): OtherSymbols => (loaded ??= dlopen(library.name, OTHER_SYMBOLS).symbols);
  return {
    isatty: symbols.isatty,
    write: (fd, bytes, length) => Number(symbols.write(fd, bytes, length)),
    getWindowSize: (fd, size) => symbols.ioctl(fd, library.windowSizeRequest, size),
    tcgetattr: (fd, settings) => others().tcgetattr(fd, settings),
    tcsetattr: (fd, when, settings) => others().tcsetattr(fd, when, settings),
    cfmakeraw: (settings) => others().cfmakeraw(settings),
    openForWriting: (path) => others().open(Buffer.from(`${path}\0`), library.openFlags),
    openAnnounced: (path) => openAnnounced(others(), path, library.announced),
    close: (fd) => others().close(fd),
    read: (fd, target) => Number(others().read(fd, target, target.length)),
    lock: (fd) => others().flock(fd, LOCK_EX),
    peerPid: (fd) => {
      const peer = new Int32Array(3);
      const length = Uint32Array.of(peer.byteLength);
      const answer = others().getsockopt(fd, library.peerLevel, library.peerOption, peer, length);
      return answer === 0 && (peer[0] ?? 0) > 0 ? peer[0] : undefined;
    },
  };
}

function openAnnounced(calls: OtherSymbols, path: string, flags: Library["announced"]): number {
  const fd = flags === undefined ? -1 : calls.open(Buffer.from(`${path}\0`), flags.open);
  if (fd === -1 || flags === undefined) return -1;
  if (calls.fcntl(fd, F_SETOWN, process.pid) === 0 && calls.fcntl(fd, F_SETFL, flags.set) === 0) return fd;
  calls.close(fd);
  return -1;
}

type OtherSymbols = ReturnType<typeof dlopen<typeof OTHER_SYMBOLS>>["symbols"];
