import { closeSync, mkdirSync, openSync, readFileSync, rmSync, watch } from "node:fs";
import { isProtocolError, protocolError } from "@pohunek/protocol/wire";
import { connect } from "@pohunek/sdk";
import type { CommandContext } from "../context.ts";
import type { DaemonPlace } from "./runtime-root.ts";
import { unixTransport } from "./unix-transport.ts";

/** A daemon that adopts hundreds of sessions on a busy machine still answers within this time. */
const READY_TIMEOUT_MS = 15_000;
/** The file system's events announce the socket; looking by itself only covers what they miss. */
const LOOK_AGAIN_MS = 250;
/** So much of what a failed daemon said is told. */
const TAIL_LINES = 5;

/** Starts the daemon of this user, in a session of its own, and waits until it answers. Starting it twice is harmless. */
export async function startDaemon(
  context: CommandContext,
  place: DaemonPlace,
  extra: Readonly<Record<string, string>> = {},
): Promise<void> {
  const root = `${place.runtimeDir}/pohunek`;
  const log = `${root}/daemon-start.log`;
  const daemon = openStartLog(root, log, (errors) => spawnDaemon(daemonCommand(context, place, extra), errors));
  try {
    await untilReady(place, { root, exited: daemon.exited });
  } catch (cause) {
    const said = tailOf(log);
    throw protocolError("daemon_spawn_failed", {
      message: `the daemon did not start: ${said === "" ? reasonOf(cause) : said}`,
      cause,
    });
  } finally {
    rmSync(log, { force: true });
  }
}

/** How this program starts itself as the daemon: by the name that it looks at, with nothing of this terminal or session. */
export function daemonCommand(context: CommandContext, place: DaemonPlace, extra: Readonly<Record<string, string>>) {
  return {
    argv0: "pohunekd",
    // It must not keep a directory busy.
    cwd: "/",
    env: { ...context.settings.daemonEnvironment(), XDG_RUNTIME_DIR: place.runtimeDir, ...extra },
  };
}

/** What the daemon says before it has a log goes into a private file, where it can be read when the start fails. */
function openStartLog<Result>(root: string, log: string, use: (fd: number) => Result): Result {
  let fd: number | undefined;
  try {
    mkdirSync(root, { recursive: true, mode: 0o700 });
    fd = openSync(log, "w", 0o600);
    return use(fd);
  } catch (cause) {
    throw protocolError("daemon_spawn_failed", { message: `the daemon did not start: ${reasonOf(cause)}`, cause });
  } finally {
    if (fd !== undefined) closeSync(fd);
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

/** Resolves when a daemon answers, ours or one that was faster. Rejects when ours has ended or the time is over. */
async function untilReady(
  place: DaemonPlace,
  { root, exited }: { root: string; exited: Promise<number> },
): Promise<void> {
  const endsAt = performance.now() + READY_TIMEOUT_MS;
  let exitCode: number | undefined;
  void exited.then((code) => {
    exitCode = code;
  });
  while (performance.now() < endsAt) {
    const changed = nextChange(root, exited);
    // In this order: when it has ended by now, one more look finds another's daemon, and nothing will come after it.
    const hasEnded = exitCode !== undefined;
    if (await answers(place)) return;
    if (hasEnded) throw new Error(`it ended with exit code ${exitCode}`);
    await changed;
  }
  throw new Error(`it did not answer within ${READY_TIMEOUT_MS / 1_000} s`);
}

/** Waits until something changes in the directory of the socket, or the daemon has ended. */
function nextChange(root: string, exited: Promise<number>): Promise<void> {
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
    void exited.then(finish);
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

function tailOf(path: string): string {
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  return lines.slice(-TAIL_LINES).join("\n");
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
