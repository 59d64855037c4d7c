import type { DaemonId, ErrorCode } from "@pohunek/protocol/wire";
import { isProtocolError, protocolError } from "@pohunek/protocol/wire";
import type { Logger } from "../logs/logger.ts";
import { failureFields } from "../logs/logger.ts";
import type { RunState } from "../platform/index.ts";
import type { WorkerKey, WorkerLife } from "../supervision/supervisor.ts";
import { WorkerClient } from "../worker-api/client.ts";
import type { WorkerEvent } from "../worker-api/events.ts";
import type { Inspection } from "../worker-api/inspection.ts";
import { within } from "../worker-api/within.ts";
import { sleep } from "./backoff.ts";

/** What a link tells its session. Called in order; `dead`, `incompatible` and `conflict` are the last of a link. */
export interface WorkerLinkListener {
  /** The lease is ours, and this is how the worker is now. Events follow. */
  connected(inspection: Inspection): void;
  /** `isSilent`: the worker lives and does not answer. */
  disconnected(isSilent: boolean): void;
  event(event: WorkerEvent): void;
  /** No version of the worker protocol is common; the worker keeps running. */
  incompatible(): void;
  /** Another worker than the expected one answers at its socket. */
  conflict(): void;
  /** The worker's process is proven gone. */
  dead(): Promise<void>;
  /** `isConnected` or `isOver` is different now. */
  changed(): void;
}

export interface WorkerLinkOptions {
  readonly key: WorkerKey;
  readonly socketPath: string;
  readonly daemonId: DaemonId;
  /** Whether the worker is dead, asked while it does not answer. */
  readonly judgeLife: () => Promise<WorkerLife>;
  /** What the kernel says that the worker's process does. */
  readonly runState: () => RunState | undefined;
  /** A worker that says nothing for so long when it is asked something does not answer. */
  readonly answerMs: number;
  readonly listener: WorkerLinkListener;
  readonly log: Logger;
}

/** Waits between tries to reach a worker: it may be starved for a moment, or wait for the lease of a daemon that just died. */
const RETRY_FIRST_MS = 100;
const RETRY_LAST_MS = 5000;
/** A worker that accepts but does not answer in this time is tried again. Long: one that is only slow gets there. */
const HANDSHAKE_MS = 30_000;

type Attempt = { readonly kind: "connected"; readonly client: WorkerClient } | { readonly kind: "final" | "retry" };

/** Keeps one daemon connected to one worker: takes its lease, notices when it is lost, and tries again until it is dead. */
export class WorkerLink implements AsyncDisposable {
  readonly key: WorkerKey;
  readonly #options: WorkerLinkOptions;
  readonly #ending = new AbortController();
  #client: WorkerClient | undefined;
  #loop: Promise<void> | undefined;
  #lostAt = 0;
  #isHeldByAnother = false;
  #isOver = false;

  constructor(options: WorkerLinkOptions) {
    this.key = options.key;
    this.#options = options;
  }

  get isConnected(): boolean {
    return this.#client !== undefined;
  }

  /** True once the link has told its last news: it will not connect again. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** The worker answers, but another connection controls it: that of a daemon that has just died, for a moment. */
  get isHeldByAnother(): boolean {
    return this.#isHeldByAnother;
  }

  /** The connected client. Fails with session_runtime_reconnecting while there is none. */
  get client(): WorkerClient {
    if (this.#client === undefined) {
      throw protocolError("session_runtime_reconnecting");
    }
    return this.#client;
  }

  /** Begins to connect, and goes on until the link is disposed of or has told its last news. */
  start(): void {
    this.#loop ??= this.#run();
  }

  /** Begins with a connection that was made elsewhere, its lease taken. `handleEvent` of its client must feed this link. */
  startWith(client: WorkerClient): void {
    this.#client = client;
    client.watchSilence(this.#options.answerMs);
    this.#loop ??= this.#run();
  }

  /**
   * Asks the kernel how the worker is, which costs it nothing: one that was stopped can't answer, one that is busy and
   * has said nothing for a while is asked whether it is there. One that sleeps is left to sleep.
   */
  look(): void {
    const client = this.#client;
    if (client === undefined) {
      return;
    }
    const state = this.#options.runState();
    if (state === "stopped") {
      client.drop();
      this.#lose(client, true);
    } else if (state === "busy") {
      client.askAfter(this.#options.answerMs);
    }
  }

  /** For the events of a client given to `startWith`. */
  handleEvent(event: WorkerEvent): void {
    if (!this.#ending.signal.aborted) {
      this.#options.listener.event(event);
    }
  }

  async #run(): Promise<void> {
    try {
      await this.#stayConnected();
    } catch (cause) {
      // A fault of ours must cost this session its connection, not the daemon its life.
      this.#options.log.error("worker_link_failed", { session_id: this.key.sessionId, ...failureFields(cause) });
    }
    this.#isOver = true;
    this.#options.listener.changed();
  }

  async #stayConnected(): Promise<void> {
    let delayMs = RETRY_FIRST_MS;
    while (!this.#ending.signal.aborted) {
      if (this.#client === undefined) {
        const attempt = await this.#connect();
        if (attempt.kind === "final") {
          return;
        }
        if (attempt.kind === "retry") {
          await sleep(delayMs, this.#ending.signal);
          delayMs = Math.min(delayMs * 2, RETRY_LAST_MS);
          continue;
        }
      }
      delayMs = RETRY_FIRST_MS;
      this.#options.listener.changed();
      const client = this.#client;
      const reason = await client?.closed;
      this.#lose(client, hasCode(reason, "session_runtime_reconnecting"));
    }
  }

  #lose(client: WorkerClient | undefined, isSilent: boolean): void {
    if (this.#client === undefined || this.#client !== client) {
      return;
    }
    this.#client = undefined;
    this.#lostAt = performance.now();
    if (!this.#ending.signal.aborted) {
      this.#options.listener.disconnected(isSilent);
    }
  }

  async #connect(): Promise<Attempt> {
    const { listener, log, key } = this.#options;
    try {
      const client = await this.#handshake();
      this.#isHeldByAnother = false;
      log.info("worker_connected", {
        session_id: key.sessionId,
        worker_instance_id: key.runtimeId,
        worker_protocol: client.version,
        after_ms: this.#lostAt === 0 ? undefined : Math.round(performance.now() - this.#lostAt),
      });
      return { kind: "connected", client };
    } catch (cause) {
      if (this.#ending.signal.aborted) {
        return { kind: "final" };
      }
      this.#isHeldByAnother = hasCode(cause, "worker_controller_busy");
      log.debug("worker_not_connected", { session_id: key.sessionId, ...failureFields(cause) });
      if (hasCode(cause, "worker_protocol_incompatible")) {
        listener.incompatible();
        return { kind: "final" };
      }
      if (hasCode(cause, "worker_identity_mismatch")) {
        listener.conflict();
        return { kind: "final" };
      }
      return await this.#judgeSilence();
    }
  }

  async #handshake(): Promise<WorkerClient> {
    const { key, socketPath, daemonId, listener } = this.#options;
    const early: WorkerEvent[] = [];
    let isReady = false;
    const client = await WorkerClient.connect(socketPath, {
      signal: this.#ending.signal,
      connectMs: HANDSHAKE_MS,
      onEvent: (event) => (isReady ? this.handleEvent(event) : early.push(event)),
    });
    try {
      const { hello } = client;
      if (hello.session_id !== key.sessionId || hello.runtime_id !== key.runtimeId) {
        throw protocolError("worker_identity_mismatch");
      }
      const bound = { ms: HANDSHAKE_MS, signal: this.#ending.signal };
      await within(client.acquireController(daemonId), bound);
      const inspection = await within(client.inspect(), bound);
      this.#ending.signal.throwIfAborted();
      this.#client = client;
      client.watchSilence(this.#options.answerMs);
      isReady = true;
      listener.connected(inspection);
      for (const event of early) {
        this.handleEvent(event);
      }
      return client;
    } catch (cause) {
      this.#client = undefined;
      await client[Symbol.asyncDispose]();
      throw cause;
    }
  }

  /** The worker can't be reached: only proof of its death ends the tries. */
  async #judgeSilence(): Promise<Attempt> {
    const { judgeLife, key, listener, log } = this.#options;
    try {
      if ((await judgeLife()) === "dead") {
        await listener.dead();
        return { kind: "final" };
      }
    } catch (cause) {
      log.warn("supervisor_no_answer", { session_id: key.sessionId, ...failureFields(cause) });
    }
    return { kind: "retry" };
  }

  /** Lets go of the worker: its lease is free again, and it runs on. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    await this.#client?.[Symbol.asyncDispose]();
    await this.#loop;
  }
}

function hasCode(cause: unknown, code: ErrorCode): boolean {
  return isProtocolError(cause, code);
}
