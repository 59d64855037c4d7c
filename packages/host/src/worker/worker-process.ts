import { closeSync, writeSync } from "node:fs";
import { failureFields } from "../logs/logger.ts";
import type { Platform } from "../platform/index.ts";
import type { WorkerBootstrap } from "../worker-api/bootstrap.ts";
import type { WorkerEvent } from "../worker-api/events.ts";
import { WORKER_LIMITS } from "../worker-api/limits.ts";
import { journalPath, logDir, workerSocketPath } from "../worker-api/paths.ts";
import type { VersionRange } from "../worker-api/version.ts";
import type { AttachGrant } from "./attach-streams.ts";
import { DataPeer } from "./data-peer.ts";
import { DataTokens } from "./data-tokens.ts";
import { DescriptorWatch } from "./descriptor-watch.ts";
import { HandedOverPeer } from "./handed-over-peer.ts";
import { answerHookLine } from "./hooks/hook-peer.ts";
import { JournalFile } from "./journal-file.ts";
import { Lease } from "./lease.ts";
import { createOperations } from "./operations.ts";
import { WorkerServer } from "./server.ts";
import type { SessionLog } from "./session-log.ts";
import { openSessionLog } from "./session-log.ts";
import type { OpenTerminalView } from "./terminal-view.ts";
import { WorkerSession } from "./worker-session.ts";

export interface WorkerProcessOptions {
  readonly bootstrap: WorkerBootstrap;
  readonly platform: Platform;
  readonly release: string;
  readonly versions: VersionRange;
  readonly openView: OpenTerminalView;
}

/**
 * Sockets that announce themselves by signals don't count as work for the event loop, which would end without any. The
 * longest that a timer can be, 24 days.
 */
const KEEP_ALIVE_MS = 2 ** 31 - 1;

/** The parts of one worker, wired together. `ended` settles when the process has nothing left to do. */
export class WorkerProcess implements Disposable {
  readonly #log: SessionLog;
  readonly #session: WorkerSession;
  readonly #server: WorkerServer;
  readonly #lease: Lease;
  readonly #watch: DescriptorWatch;
  readonly #ended = Promise.withResolvers<void>();
  readonly #initTimer: ReturnType<typeof setTimeout>;
  readonly #keepAlive: ReturnType<typeof setInterval>;

  constructor(options: WorkerProcessOptions) {
    const { bootstrap, platform, versions } = options;
    const { identity, runtimeRoot, stateRoot } = bootstrap;
    const socketPath = workerSocketPath(runtimeRoot, identity.session_id);
    this.#log = openSessionLog({ dir: logDir(stateRoot), sessionId: identity.session_id, platform });
    this.#lease = new Lease((isHeld) => this.#noteLease(isHeld));
    this.#watch = new DescriptorWatch(platform.sockets);
    this.#session = new WorkerSession({
      watch: this.#watch,
      identity,
      platform,
      release: options.release,
      socketPath,
      journal: new JournalFile(
        journalPath(stateRoot, { sessionId: identity.session_id, workerId: identity.worker_id }),
        platform,
      ),
      logger: this.#log.logger,
      openView: options.openView,
      emit: (event) => this.#emit(event),
      // In a later turn, so that the answer to the acknowledgement leaves first.
      onRetired: () => setImmediate(() => this.#ended.resolve()),
    });
    const tokens = new DataTokens<AttachGrant>(() => performance.now());
    const context = { identity, versions, session: this.#session, lease: this.#lease, tokens };
    this.#server = new WorkerServer({
      path: socketPath,
      sockets: platform.sockets,
      watch: this.#watch,
      perform: createOperations(context),
      onBug: (cause) => this.noteBug(cause),
      answerHook: (fd, line) =>
        answerHookLine(line, (report, peer) => this.#session.hooks.take(report, peer), platform.readPeer(fd)),
      onControlClosed: (peer) => this.#lease.release(peer),
      openData: (connection, viewer) =>
        viewer
          ? new HandedOverPeer({ daemon: connection, viewer, session: this.#session, tokens })
          : new DataPeer({ connection, session: this.#session, tokens }),
    });
    this.#keepAlive = setInterval(() => undefined, KEEP_ALIVE_MS);
    this.#initTimer = setTimeout(() => this.#giveUpWaiting(), WORKER_LIMITS.initDeadlineMs);
  }

  /** Accepts connections, and tells the starter so. */
  start(readyFd: number | undefined): void {
    this.#server.listen();
    this.#log.logger.info("worker_ready", { pid: process.pid });
    if (readyFd !== undefined) {
      tellReady(readyFd);
    }
  }

  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  /** SIGIO. */
  serveSockets(): void {
    this.#watch.serve();
  }

  /** SIGCHLD. */
  checkChild(): void {
    this.#session.checkChild();
  }

  /** The system wants this process to end: so does its program, in order, with its outcome in the journal. */
  async shutDown(reason: string): Promise<void> {
    this.#log.logger.warn("worker_shutting_down", { reason });
    if (this.#session.phase === "running") {
      await this.#session.stop(WORKER_LIMITS.stopGraceMs);
    } else if (this.#session.phase === "waiting") {
      this.#session.discardJournal();
    }
    this.#ended.resolve();
  }

  /** Something threw where nothing should: told and survived, because a live program hangs on this process. */
  noteBug(cause: unknown): void {
    this.#log.logger.error("internal_failure", failureFields(cause));
  }

  #emit(event: WorkerEvent): void {
    if (event.event === "runtime_started") {
      // A timer that has lost its purpose would still wake an idle process.
      clearTimeout(this.#initTimer);
    }
    this.#lease.emit(event);
  }

  #noteLease(isHeld: boolean): void {
    this.#log.logger.info(isHeld ? "lease_acquired" : "lease_released", { controller: this.#lease.controller });
    this.#session.announcer.listen(isHeld);
    if (!isHeld) {
      this.#session.waiters.release();
    }
  }

  #giveUpWaiting(): void {
    if (this.#session.phase === "waiting") {
      this.#log.logger.warn("init_deadline_passed");
      this.#session.discardJournal();
      this.#ended.resolve();
    }
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#initTimer);
    clearInterval(this.#keepAlive);
    this.#server[Symbol.dispose]();
    this.#session[Symbol.dispose]();
    this.#log[Symbol.dispose]();
  }
}

/** One line, then the end of the pipe. A starter that has gone away is not our concern. */
function tellReady(fd: number): void {
  try {
    writeSync(fd, "ready\n");
  } catch {
    // EPIPE: nobody waits any more; the socket is what counts.
  }
  closeSync(fd);
}
