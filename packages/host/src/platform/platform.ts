/** What the host needs of an operating system. `platform/index.ts` gives the one for this machine. */
export interface Platform {
  readonly pty: PtyCalls;
  readonly processes: ProcessCalls;
  readonly self: SelfCalls;
  readonly files: FileCalls;
  readonly sockets: SocketCalls;
  /** The process at the other end of a connected Unix socket; undefined when the kernel can't attest one with a PID. */
  readPeer(fd: number): PeerIdentity | undefined;
  /** The user who owns the far end of a TCP connection; undefined when that end is not on this machine. */
  readTcpOwner(near: TcpEnd, far: TcpEnd): number | undefined;
}

export interface PeerIdentity {
  readonly pid: number;
  readonly uid: number;
  readonly gid: number;
  /** Start identity of `pid` at the time of the call; undefined when it is gone already. */
  readonly startIdentity: string | undefined;
}

/** One end of a TCP connection, seen from this machine. */
export interface TcpEnd {
  readonly address: string;
  readonly port: number;
}

export interface WindowSize {
  readonly cols: number;
  readonly rows: number;
}

export interface PtyPair {
  readonly master: number;
  /** Held by us so that the kernel keeps the last output until it is read. */
  readonly slave: number;
  readonly slavePath: string;
}

/** How the terminal's line discipline treats input now. */
export interface LineDiscipline {
  /** Input is edited by the kernel and given to the program a line at a time. */
  readonly isCanonical: boolean;
  /** Control characters raise signals. */
  readonly hasSignals: boolean;
  /** A signal character leaves pending input in place (NOFLSH). */
  readonly keepsInputOnSignal: boolean;
  readonly interruptByte: number;
  readonly quitByte: number;
  readonly suspendByte: number;
}

/** A call that would have to wait. */
export const WOULD_BLOCK = -1;

/** PTY calls take descriptors. They throw SystemError, but for the outcomes that their signature names. */
export interface PtyCalls {
  open(size: WindowSize): PtyPair;
  setSize(fd: number, size: WindowSize): void;
  readSize(fd: number): WindowSize;
  /** Process group that reads the terminal; undefined when there is none. */
  foregroundGroup(fd: number): number | undefined;
  lineDiscipline(fd: number): LineDiscipline;
  /** Throws away what the program has not read yet. */
  flushInput(slave: number): void;
  /** Sends the signal to the foreground process group, as the line discipline would. */
  signalForeground(master: number, signal: number): void;
  /** Writes what fits now: a byte count, or WOULD_BLOCK. */
  writeNow(master: number, bytes: Uint8Array): number;
  /** Has what was written passed on to the program, and its echo to us, now and not by the kernel's own worker a little later. */
  settleInput(slave: number): void;
  close(pair: PtyPair): void;
  /** A reader that never waits, bound to memory that does not move. */
  openReader(master: number): PtyReader;
}

export interface PtyReader {
  /** Fills `target` from `offset` with what is there: a byte count, 0 at the end (no slave is open), or WOULD_BLOCK. */
  readNow(target: Uint8Array, offset: number): number;
}

export interface SpawnOptions {
  /** Absolute path of the program. */
  readonly file: string;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Becomes standard input, output and error, and the controlling terminal. */
  readonly terminal: string;
  readonly umask?: number;
  /** Soft limit of open files for the program; the hard one stays. */
  readonly openFiles?: number;
}

export type ChildStatus =
  | { readonly kind: "running" }
  | { readonly kind: "exited"; readonly code: number }
  | { readonly kind: "signaled"; readonly signal: string }
  /** Not our child, or reaped already. */
  | { readonly kind: "unknown" };

/** `stopped`: by a signal, until it is continued. `sleeping`: it waits for something that may wake it. `busy`: neither. */
export type RunState = "stopped" | "sleeping" | "busy";

export interface ProcessFacts {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** Opaque, compare for equality: with `pid` it names one process of this boot. Decimal digits. */
  readonly startIdentity: string;
  /** Name of the program as the kernel keeps it. */
  readonly program: string;
  readonly run: RunState;
  /** Processor time that it and the children that it has awaited used. */
  readonly cpuSeconds: number;
  /** Foreground group of the process's controlling terminal. */
  readonly foregroundGroup: number | undefined;
}

export type SignalOutcome = "sent" | "gone" | "denied";

export interface ProcessCalls {
  /** Starts a program as leader of a new session, all signals at their defaults and unblocked. */
  spawn(options: SpawnOptions): number;
  /** Asks about exactly this child, without waiting; a child that ended is reaped. */
  reap(pid: number): ChildStatus;
  /** Facts of a living process. A zombie is dead: undefined. */
  read(pid: number): ProcessFacts | undefined;
  /** Start identity of a process, also of one that ended and waits to be reaped. */
  startIdentity(pid: number): string | undefined;
  list(): ProcessFacts[];
  /** Values of environment variables that the process was started with; undefined when they can't be read. */
  readEnvironment(pid: number, names: readonly string[]): ReadonlyMap<string, string> | undefined;
  readCwd(pid: number): string | undefined;
  /** The process's arguments, its program's name first; undefined when they can't be read. */
  readArguments(pid: number): readonly string[] | undefined;
  /** Whether the process ignores the signals that stop a job, as shells with job control do and what they start does not. */
  ignoresStopSignals(pid: number): boolean;
  /** Path of the executable; undefined when it can't be read. */
  readExecutable(pid: number): string | undefined;
  /** Paths of files that a process holds open, at most `limit` descriptors looked at; none when it may not be looked at. */
  listOpenFiles(pid: number, limit: number): readonly string[];
  /** Signals exactly the process that `identity` names, never another one that got its pid. */
  signal(identity: { readonly pid: number; readonly startIdentity: string }, signal: NodeJS.Signals): SignalOutcome;
  /** Number that the kernel gives to each process once, never again in this boot; undefined where there is none. */
  creationId(pid: number): string | undefined;
  /** Identity of this boot of the machine. */
  bootId(): string;
}

export interface SelfCalls {
  /** Makes the calling process leader of a new session without terminal. False when it leads a group already. */
  startSession(): boolean;
  /** Has the kernel send `signal` to this process when its parent ends. */
  setParentDeathSignal(signal: number): void;
  /** Returns the mask that was set before. */
  setUmask(mask: number): number;
  /** Name shown by ps and top. */
  setName(name: string): void;
  /** Replaces the last `count` arguments of the command line that ps shows; false when the new ones need more room. */
  showArguments(count: number, args: readonly string[]): boolean;
  /** A pipe whose ends no program inherits that we start, but for one that is handed to it. */
  openPipe(): { readonly read: number; readonly write: number };
  /** Points descriptors 0, 1 and 2 at the null device. */
  detachStdio(): void;
  /** Closes descriptors that came from the parent, but for standard ones and `keep`. */
  closeInherited(keep: readonly number[]): void;
  uid(): number;
  /** How many descriptors this process may have open. */
  openFilesLimit(): number;
  /** Tells a service manager something (`READY=1`): one datagram to the socket that NOTIFY_SOCKET names. */
  notifyServiceManager(address: string, state: string): void;
  /** A clock that all processes share and nobody sets. The runtime's own begins with each process. */
  nanosecondsSinceBoot(): bigint;
}

export interface FileCalls {
  /** Takes an exclusive advisory lock on an open file; false when another open file description holds it. */
  tryLock(fd: number): boolean;
  /** Waits for the lock. */
  lock(fd: number): void;
  unlock(fd: number): void;
  /** Makes the entries of a directory durable. */
  syncDirectory(path: string): void;
}

/** Asks for the readiness of several descriptors at once, as often as one likes. */
export interface ReadinessSet {
  clear(): void;
  /** Descriptors count from 0, in the order in which they are added. */
  add(fd: number, wantsRead: boolean, wantsWrite: boolean): void;
  /** Looks now, without waiting. Returns how many are ready. */
  poll(): number;
  /** An end or a failure counts as readable. */
  canRead(index: number): boolean;
  canWrite(index: number): boolean;
}

/**
 * Unix sockets without the runtime's own: those keep a timer that wakes the process every second as long as one is open,
 * which a hundred idle workers can't afford. Readiness is announced by SIGIO, then asked for.
 */
export interface SocketCalls {
  /** Binds and listens. The caller has removed what was at `path`. */
  listen(path: string): number;
  accept(listener: number): number;
  /** Bytes put into `target`, 0 at the end, or WOULD_BLOCK. */
  receive(fd: number, target: Uint8Array): number;
  /** As `receive`, and takes a descriptor that came along with the bytes; it is closed in programs that we start. */
  receiveWithDescriptor(fd: number, target: Uint8Array): { readonly bytes: number; readonly descriptor?: number };
  /** Bytes taken, or WOULD_BLOCK. */
  send(fd: number, bytes: Uint8Array): number;
  /** Sends all of `bytes` and a duplicate of `descriptor` with them, or nothing: false when they don't fit now. */
  sendWithDescriptor(fd: number, bytes: Uint8Array, descriptor: number): boolean;
  /** Whether SIGIO comes to this process whenever the descriptor becomes ready. */
  signalReadiness(fd: number, isWanted: boolean): void;
  openReadinessSet(): ReadinessSet;
  close(fd: number): void;
}
