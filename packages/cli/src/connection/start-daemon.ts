import { closeSync, fstatSync, mkdirSync, openSync, readSync, rmSync, watch } from "node:fs";
import { isProtocolError, protocolError } from "@pohunek/protocol/wire";
import { connect } from "@pohunek/sdk";
import type { CommandContext } from "../context.ts";
import type { DaemonPlace } from "./runtime-root.ts";
import { unixTransport } from "./unix-transport.ts";

/** A daemon that adopts hundreds of sessions on a busy machine still answers within this time. */
const READY_TIMEOUT_MS = 15_000;
/** Another daemon that holds the locks already answers within this time, unless it serves another runtime directory. */
const OTHER_READY_MS = 5_000;
/** The file system's events announce the socket; looking by itself only covers what they miss. */
const LOOK_AGAIN_MS = 250;
/** The daemon gives memory back when it rests. The runtime's own timer would collect in every second, for nothing. */
const QUIET_RUNTIME = { BUN_GC_TIMER_DISABLE: "1" };
/** So much of what a failed daemon said is told. */
const TAIL_LINES = 5;

/** Starts the daemon of this user, in a session of its own, and waits until it answers. Starting it twice is harmless. */
export async function startDaemon(
  context: CommandContext,
  place: DaemonPlace,
  extra: Readonly<Record<string, string>> = {},
): Promise<void> {
  const root = `${place.runtimeDir}/pohunek`;
  const errors = openStartLog(root);
  try {
    const daemon = spawnDaemon(daemonCommand(context, place, extra), errors);
    const isLate = (): boolean => tailOf(errors).includes("(daemon_already_running)");
    await untilReady(place, { root, exited: daemon.exited, isLate });
  } catch (cause) {
    const said = tailOf(errors);
    // One that was faster answered, in words of its own.
    if (said === "" && isProtocolError(cause)) throw cause;
    const { message, ...hint } = said === "" ? { message: reasonOf(cause) } : failureIn(said);
    throw protocolError("daemon_spawn_failed", { message: `the daemon did not start: ${message}`, ...hint, cause });
  } finally {
    closeSync(errors);
  }
}

/** How this program starts itself as the daemon: by the name that it looks at, with nothing of this terminal or session. */
export function daemonCommand(context: CommandContext, place: DaemonPlace, extra: Readonly<Record<string, string>>) {
  return {
    argv0: "pohunekd",
    // It must not keep a directory busy.
    cwd: "/",
    env: { ...context.settings.daemonEnvironment(), ...QUIET_RUNTIME, XDG_RUNTIME_DIR: place.runtimeDir, ...extra },
  };
}

/**
 * What the daemon says before it has a log goes into a private file, where it can be read when the start fails. The file
 * has no name any more, so nothing is left of it, and several starts at the same time do not share one.
 */
function openStartLog(root: string): number {
  const log = `${root}/daemon-start.${process.pid}.log`;
  try {
    mkdirSync(root, { recursive: true, mode: 0o700 });
    const fd = openSync(log, "w+", 0o600);
    rmSync(log);
    return fd;
  } catch (cause) {
    throw protocolError("daemon_spawn_failed", { message: `the daemon did not start: ${reasonOf(cause)}`, cause });
  }
}

function spawnDaemon(command: ReturnType<typeof daemonCommand>, errors: number) {
  const daemon = Bun.spawn([process.execPath], {
    ...command,
    detached: true,
    stdin: "ignore",
    stdout: "ignore",
    stderr: errors,
  });
  daemon.unref();
  return daemon;
}

interface Start {
  readonly root: string;
  readonly exited: Promise<number>;
  /** Whether ours has ended because another was faster. That one has the locks first and answers a little later. */
  readonly isLate: () => boolean;
}

/** Resolves when a daemon answers, ours or one that was faster. Rejects when none will, or the time is over. */
async function untilReady(place: DaemonPlace, { root, exited, isLate }: Start): Promise<void> {
  const endsAt = performance.now() + READY_TIMEOUT_MS;
  let ended: { readonly code: number; readonly at: number } | undefined;
  void exited.then((code) => {
    ended = { code, at: performance.now() };
  });
  while (performance.now() < endsAt) {
    const changed = nextChange(root, ended === undefined ? exited : undefined);
    // In this order: when the time was over before the look, nothing will come after it.
    const isOver = ended !== undefined && performance.now() >= ended.at + (isLate() ? OTHER_READY_MS : 0);
    if (await answers(place)) return;
    if (isOver) throw new Error(`it ended with exit code ${ended?.code}`);
    await changed;
  }
  throw new Error(`it did not answer within ${READY_TIMEOUT_MS / 1_000} s`);
}

/** Waits until something changes in the directory of the socket, or the daemon has ended. */
function nextChange(root: string, exited: Promise<number> | undefined): Promise<void> {
  return new Promise((resolve) => {
    const watcher = watch(root, () => finish());
    const timer = setTimeout(() => finish(), LOOK_AGAIN_MS);
    const finish = (): void => {
      clearTimeout(timer);
      watcher.close();
      resolve();
    };
    // Without watches left in the system the timer alone has to do.
    watcher.on("error", () => undefined);
    void exited?.then(finish);
  });
}

async function answers(place: DaemonPlace): Promise<boolean> {
  try {
    await using client = await connect({ transport: unixTransport(place.socketPath) });
    await client.handshake();
    return true;
  } catch (error) {
    if (isProtocolError(error) && error.isRetryable) return false;
    throw error;
  }
}

function tailOf(fd: number): string {
  const text = Buffer.alloc(fstatSync(fd).size);
  readSync(fd, text, 0, text.length, 0);
  return text.toString("utf8").trimEnd().split("\n").slice(-TAIL_LINES).join("\n");
}

/** What a daemon said, without the name and the code that it puts around: this program tells it with its own. */
export function failureIn(said: string): { message: string; recover?: string } {
  const [, message, recover] = /^pohunekd: (.*) \([a-z_]+\)(?:\n(.*))?$/.exec(said) ?? [];
  if (message === undefined) return { message: said };
  return recover === undefined ? { message } : { message, recover };
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
