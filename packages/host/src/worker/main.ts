import { closeSync, writeSync } from "node:fs";
import { constants } from "node:os";
import manifest from "../../package.json" with { type: "json" };
import { platform } from "../platform/index.ts";
import type { StandbyBootstrap, WorkerBootstrap } from "../worker-api/bootstrap.ts";
import { parseBootstrap, parseStandby } from "../worker-api/bootstrap.ts";
import type { VersionRange } from "../worker-api/version.ts";
import { WORKER_PROTOCOL } from "../worker-api/version.ts";
import { compileGhostty } from "./engine/ghostty-runtime.ts";
import { openTerminalView } from "./open-terminal-view.ts";
import { waitForArguments } from "./standby.ts";
import type { OpenTerminalView } from "./terminal-view.ts";
import { WorkerProcess } from "./worker-process.ts";

/**
 * pohunek-sessiond: runs until the outcome of its program is acknowledged. Returns the exit code. A worker that serves only
 * some `versions` is what a release before or after this one would be.
 */
export async function main(
  argv: readonly string[],
  _env: unknown,
  versions: VersionRange = WORKER_PROTOCOL,
): Promise<number> {
  const standby = parseStandby(argv);
  if (standby === undefined) {
    return await runWorker(parseBootstrap(argv), versions);
  }
  standBy(standby);
  const module = compileGhostty();
  const args = waitForArguments(standby.standbyFd);
  if (args === undefined) {
    return 0;
  }
  platform.self.showArguments(argv.length, args);
  return await runWorker(parseBootstrap(args), versions, (options) => openTerminalView(options, module));
}

/** Nothing of this process is on disk yet, so it may end without a trace. */
function standBy({ standbyFd, readyFd }: StandbyBootstrap): void {
  cutTies([standbyFd, readyFd]);
  platform.self.setName("pohunek-standby");
}

async function runWorker(
  bootstrap: WorkerBootstrap,
  versions: VersionRange,
  openView: OpenTerminalView = openTerminalView,
): Promise<number> {
  becomeWorker(bootstrap);
  try {
    using worker = new WorkerProcess({
      bootstrap,
      platform,
      release: manifest.version,
      versions,
      openView,
    });
    handleSignals(worker);
    worker.start(bootstrap.readyFd);
    await worker.ended;
    return 0;
  } catch (cause) {
    tellFailure(bootstrap.readyFd, cause);
    return 1;
  }
}

/** Cuts every tie to the starter: its session, its terminal, its folder, its descriptors. */
function cutTies(keep: readonly number[]): void {
  const { self } = platform;
  self.startSession();
  self.detachStdio();
  self.closeInherited(keep);
  process.chdir("/");
}

function becomeWorker({ readyFd, endWithParent }: WorkerBootstrap): void {
  const { self } = platform;
  cutTies(readyFd === undefined ? [] : [readyFd]);
  self.setName("pohunek-session");
  if (endWithParent !== undefined) {
    self.setParentDeathSignal(constants.signals.SIGTERM);
    if (process.ppid !== endWithParent) {
      throw new Error("The daemon is gone already.");
    }
  }
}

function handleSignals(worker: WorkerProcess): void {
  process.on("SIGCHLD", () => worker.checkChild());
  process.on("SIGIO", () => worker.serveSockets());
  process.on("SIGTERM", () => void worker.shutDown("SIGTERM"));
  process.on("SIGINT", () => void worker.shutDown("SIGINT"));
  // The terminal that the daemon was started from is none of ours.
  process.on("SIGHUP", () => undefined);
  process.on("uncaughtException", (cause) => worker.noteBug(cause));
  process.on("unhandledRejection", (cause) => worker.noteBug(cause));
}

/** Tells the starter in one line why there is no worker. Nothing else can: stdio is detached. */
function tellFailure(readyFd: number | undefined, cause: unknown): void {
  if (readyFd === undefined) {
    return;
  }
  const code = (cause as { code?: unknown } | undefined)?.code;
  const message = cause instanceof Error ? cause.message : String(cause);
  try {
    writeSync(readyFd, `${JSON.stringify({ code: typeof code === "string" ? code : "unknown", message })}\n`);
    closeSync(readyFd);
  } catch {
    // EPIPE: the starter has gone away.
  }
}
