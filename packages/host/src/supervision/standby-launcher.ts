import { closeSync, writeSync } from "node:fs";
import { uptime } from "node:os";
import type { Logger } from "../logs/logger.ts";
import { failureFields } from "../logs/logger.ts";
import type { Platform } from "../platform/index.ts";
import type { StandbyOrder } from "../worker-api/bootstrap.ts";
import { standbyArgs } from "../worker-api/bootstrap.ts";
import type { WorkerKey, WorkerProgram } from "./supervisor.ts";
import type { WorkerLauncher } from "./worker-launcher.ts";
import { READY_FD, readReadiness, spawnDetached, workerOptions } from "./worker-launcher.ts";

export interface StandbyLauncherOptions {
  readonly program: WorkerProgram;
  readonly platform: Platform;
  readonly log: Logger;
  /** How many are kept. */
  readonly count: number;
  /** Starts a worker when none stands by. */
  readonly fallback: WorkerLauncher;
}

/** A worker that waits to be told who it is. */
interface Standby {
  /** Our end of its pipe: a line makes it a worker, closing ends it. */
  readonly pipe: number;
  readonly readiness: ReadableStream<Uint8Array>;
}

const STANDBY_FD = 4;
/** A worker that stands by takes about 10 ms. One that has not begun by then, because it was stopped, never will. */
const USE_BY_S = 2;
const READY_MS = 3_000;
/** The session that was just started shall not have to share the processor with the next worker. */
const PREPARE_MS = 40;

/**
 * Keeps workers started in advance, since starting one takes longer than all the rest of a new session. They hold nothing on
 * disk and no name, and end with the daemon unless they have become a session's worker before.
 */
export class StandbyLauncher implements WorkerLauncher {
  readonly #options: StandbyLauncherOptions;
  readonly #waiting: Standby[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;

  constructor(options: StandbyLauncherOptions) {
    this.#options = options;
    this.#prepareLater();
  }

  async launch(key: WorkerKey, signal: AbortSignal): Promise<void> {
    const standby = this.#waiting.shift();
    this.#prepareLater();
    if (standby !== undefined && (await this.#use(standby, key, signal))) {
      return;
    }
    await this.#options.fallback.launch(key, signal);
  }

  /** False: it is of no use, and has ended. */
  async #use({ pipe, readiness }: Standby, key: WorkerKey, signal: AbortSignal): Promise<boolean> {
    const { program, log } = this.#options;
    try {
      const order: StandbyOrder = { args: workerOptions({ program, key }), use_by_s: uptime() + USE_BY_S };
      writeSync(pipe, `${JSON.stringify(order)}\n`);
      await readReadiness(readiness, AbortSignal.any([signal, AbortSignal.timeout(READY_MS)]));
      return true;
    } catch (cause) {
      signal.throwIfAborted();
      log.warn("standby_worker_failed", { session_id: key.sessionId, ...failureFields(cause) });
      return false;
    } finally {
      closeSync(pipe);
    }
  }

  #prepareLater(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#prepare(), PREPARE_MS);
  }

  #prepare(): void {
    const { program, platform, log, count } = this.#options;
    if (this.#isClosed || this.#waiting.length >= count) {
      return;
    }
    try {
      this.#waiting.push(startStandby(program, platform));
      this.#prepareLater();
    } catch (cause) {
      // Short of something: sessions start as they would without it.
      log.warn("standby_worker_failed", failureFields(cause));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    for (const { pipe } of this.#waiting.splice(0)) {
      closeSync(pipe);
    }
    await this.#options.fallback[Symbol.asyncDispose]();
  }
}

function startStandby(program: WorkerProgram, platform: Platform): Standby {
  const options = standbyArgs({ standbyFd: STANDBY_FD, readyFd: READY_FD }, program.stateRoot);
  const { read, write } = platform.self.openPipe();
  try {
    return { pipe: write, readiness: spawnDetached(program, options, read).stdout };
  } catch (cause) {
    closeSync(write);
    throw cause;
  } finally {
    closeSync(read);
  }
}
