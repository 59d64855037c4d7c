import { basename } from "node:path";
import type { Logger } from "../logs/logger.ts";
import { failureFields } from "../logs/logger.ts";
import type { Platform, WindowSize } from "../platform/index.ts";
import { IdleCollector, WORTH } from "../runtime/idle-collector.ts";
import type { WorkerEvent } from "../worker-api/events.ts";
import type { HookFacts } from "../worker-api/hooks.ts";
import type { ExitOutcome, Inspection, RuntimeFault, WorkerIdentity, WorkerPhase } from "../worker-api/inspection.ts";
import type { WorkerJournal } from "../worker-api/journal.ts";
import { JOURNAL_SCHEMA } from "../worker-api/journal.ts";
import type { LaunchSpec } from "../worker-api/launch-spec.ts";
import { WORKER_HOOK_PROTOCOL_VERSION } from "../worker-api/launch-spec.ts";
import { WORKER_LIMITS } from "../worker-api/limits.ts";
import type { ResizeResult, StopResult } from "../worker-api/operations.ts";
import { WORKER_PROTOCOL } from "../worker-api/version.ts";
import { workerError } from "../worker-api/worker-error.ts";
import { Announcer } from "./announcer.ts";
import { AttachStreams } from "./attach-streams.ts";
import { ChangeTeller } from "./change-teller.ts";
import type { DescriptorWatch } from "./descriptor-watch.ts";
import { freezeEntrypoint } from "./hooks/frozen-entrypoint.ts";
import { HookDesk } from "./hooks/hook-desk.ts";
import type { JournalFile } from "./journal-file.ts";
import { describeSession } from "./observation.ts";
import { OutputWaiters } from "./output-waiters.ts";
import { lookUpProgram } from "./program-lookup.ts";
import { Rehearsal } from "./rehearsal.ts";
import type { RuntimeListener } from "./session-runtime.ts";
import { SessionRuntime } from "./session-runtime.ts";
import type { OpenTerminalView } from "./terminal-view.ts";
import { ViewerRoll } from "./viewer-roll.ts";

export interface WorkerSessionOptions {
  readonly identity: WorkerIdentity;
  readonly platform: Platform;
  readonly release: string;
  readonly socketPath: string;
  readonly journal: JournalFile;
  readonly logger: Logger;
  readonly openView: OpenTerminalView;
  readonly watch: DescriptorWatch;
  /** Tells the holder of the lease. */
  readonly emit: (event: WorkerEvent) => void;
  /** The outcome is acknowledged, or nobody wanted it for too long: the worker may end. */
  readonly onRetired: () => void;
}

/** Faults listed by an inspection; the newest replace the oldest. */
const FAULTS_KEPT = 8;

/** What a worker is about, whoever is connected to it: one program, its viewers, its journal and its outcome. */
export class WorkerSession implements Disposable {
  readonly waiters = new OutputWaiters();
  readonly collector = new IdleCollector(() => Bun.gc(true));
  readonly viewers = new ViewerRoll({
    resize: (size) => this.#resize(size),
    type: (bytes) => this.runtime.type(bytes),
  });
  readonly announcer: Announcer;
  readonly hooks: HookDesk;
  readonly #rehearsal = new Rehearsal(() => this.#rehearseAttach());
  #collectedOffset = 0;
  readonly #options: WorkerSessionOptions;
  readonly #startedAtMs = Date.now();
  readonly #worker: WorkerJournal["worker"];
  readonly #spawnId: string | undefined;
  #runtime: SessionRuntime | undefined;
  #streams: AttachStreams | undefined;
  #faults: RuntimeFault[] = [];
  readonly #changes = new ChangeTeller({
    emit: (event) => this.#options.emit(event),
    runtime: () => this.runtime,
    viewers: this.viewers,
  });
  #retentionTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: WorkerSessionOptions) {
    const { processes } = options.platform;
    this.#options = options;
    this.announcer = new Announcer((changed) => this.#changes.tell(changed));
    this.hooks = new HookDesk({
      runtimeId: options.identity.runtime_id,
      uid: options.platform.self.uid(),
      processes,
      keep: () => this.writeJournal(),
      tell: (hooks) => options.emit({ event: "hooks_reported", hooks }),
      now: () => Date.now(),
    });
    this.#worker = {
      pid: process.pid,
      start_identity: processes.startIdentity(process.pid) ?? "0",
      boot_id: processes.bootId(),
      release: options.release,
    };
    this.#spawnId = processes.creationId(process.pid);
    this.writeJournal();
  }

  get phase(): WorkerPhase {
    if (!this.#runtime) {
      return "waiting";
    }
    return this.#runtime.exit ? "exited" : "running";
  }

  /** Fails with worker_invalid_state before `initialize`. */
  get runtime(): SessionRuntime {
    return this.#runtime ?? this.#refuse("The worker has no program yet.");
  }

  get streams(): AttachStreams {
    return this.#streams ?? this.#refuse("The worker has no program yet.");
  }

  /** Starts the program and journals it before anybody is told. */
  initialize(spec: LaunchSpec): Inspection {
    if (this.#runtime) {
      this.#refuse("The worker has its program already.");
    }
    const { platform, identity, openView } = this.#options;
    const marks = { sessionId: identity.session_id, workerId: identity.worker_id, runtimeId: identity.runtime_id };
    // Before it runs: a program could put another file in its place.
    const entrypoint = spec.hooks?.schema === "frozen_root_entrypoint" ? entrypointOf(spec) : undefined;
    const runtime = SessionRuntime.start({
      platform,
      spec,
      env: childEnvironment(this.#options),
      marks,
      openView,
      watch: this.#options.watch,
      listener: this.#runtimeListener(),
    });
    this.#runtime = runtime;
    if (spec.hooks !== undefined) {
      this.hooks.begin({ rules: spec.hooks, root: runtime.child, calledAs: basename(spec.argv[0] ?? ""), entrypoint });
    }
    this.#streams = new AttachStreams({
      runtime,
      onRepaint: (bytes) => this.collector.noteAnswer(bytes),
      onFailure: (cause) => this.#options.logger.error("viewer_failed", failureFields(cause)),
    });
    this.collector.noteGarbage(WORTH.garbageBytes);
    this.writeJournal();
    this.#options.logger.info("runtime_started", { child_pid: runtime.child.pid, ...runtime.size });
    // The child may have ended before its signal could be acted on.
    runtime.checkChild();
    const inspection = this.inspect(undefined);
    this.#options.emit({ event: "runtime_started", inspection });
    return inspection;
  }

  inspect(controller: string | undefined): Inspection {
    const runtime = this.#runtime;
    const foreground = runtime?.exit ? undefined : runtime?.foreground.look();
    return {
      ...this.#options.identity,
      worker: this.#worker,
      phase: this.phase,
      started_at_ms: this.#startedAtMs,
      ...(runtime ? { child: runtime.child, tty: runtime.tty, terminal: describeSession(runtime) } : {}),
      ...(foreground ? { foreground } : {}),
      cols: runtime?.size.cols ?? 0,
      rows: runtime?.size.rows ?? 0,
      output: { start_offset: runtime?.ring.startOffset ?? 0, end_offset: runtime?.ring.endOffset ?? 0 },
      ...(runtime?.exit ? { exit: runtime.exit } : {}),
      attached: this.viewers.count,
      ...(runtime ? { clipboard: runtime.clipboard } : {}),
      viewers: this.viewers.describe(),
      ...(controller === undefined ? {} : { controller }),
      ...(this.hooks.facts ? { hooks: this.hooks.facts } : {}),
      faults: this.#faults,
    };
  }

  #resize(wanted: WindowSize): ResizeResult {
    const { size, isChanged } = this.runtime.resize(wanted);
    if (isChanged) {
      this.#streams?.pictures.note();
      this.announcer.note("geometry");
      this.announcer.note("terminal");
    }
    return { ...size, changed: isChanged };
  }

  async stop(graceMs: number): Promise<StopResult> {
    const result = await this.runtime.stop(graceMs);
    const { survivors, skipped } = result;
    this.#options.logger.info("runtime_stopped", { survivors: survivors.length, skipped: skipped.length });
    return result;
  }

  /** The daemon has the outcome, or wants no program started any more: nothing needs to be kept. */
  acknowledge(): void {
    if (this.phase === "running") {
      this.#refuse("The program has not ended.");
    }
    this.#options.logger.info("outcome_acknowledged");
    this.discardJournal();
    this.#options.onRetired();
  }

  /** Nothing needs to find this worker any more. */
  discardJournal(): void {
    this.#options.journal.remove();
  }

  checkChild(): void {
    this.#runtime?.checkChild();
  }

  noteFault(code: RuntimeFault["code"], message: string): void {
    const fault: RuntimeFault = { code, message, at_ms: Date.now() };
    this.#faults = [...this.#faults, fault].slice(-FAULTS_KEPT);
    this.#options.logger.warn("runtime_fault", { code, message });
    this.#options.emit({ event: "runtime_fault", fault });
  }

  /** A journal that can't be written is told; the session goes on, and the next writing tries again. */
  writeJournal(): boolean {
    try {
      const { phase } = this;
      const facts = { worker: this.#worker, startedAtMs: this.#startedAtMs, spawnId: this.#spawnId, phase };
      const { journal, identity } = this.#options;
      journal.write(journalOf({ ...facts, identity, runtime: this.#runtime, hooks: this.hooks.facts }));
      return true;
    } catch (cause) {
      this.noteFault("journal_unwritable", String(failureFields(cause)["code"] ?? "unknown"));
      return false;
    }
  }

  #runtimeListener(): RuntimeListener {
    return {
      output: () => this.#noteOutput(),
      inputSpace: () => this.viewers.resumeInput(),
      bell: () => {
        this.#changes.noteBell();
        this.announcer.note("terminal");
      },
      foreground: (foreground) => this.#options.emit({ event: "identity_changed", foreground }),
      exited: (exit) => this.#noteExit(exit),
      fault: (code, message) => this.noteFault(code, message),
      report: (bytes) => this.#report(bytes),
      copied: (write) => this.#streams?.pictures.copy(write),
      hasViewer: () => this.viewers.interactiveCount > 0,
    };
  }

  #report(bytes: Uint8Array): void {
    const { input } = this.runtime;
    void this.viewers.gate.admit(() => Promise.resolve(input.writeRaw(bytes)));
  }

  #noteOutput(): void {
    const endOffset = this.#runtime?.ring.endOffset ?? 0;
    this.#streams?.pump();
    this.waiters.advance(endOffset);
    this.collector.noteOutput(endOffset - this.#collectedOffset);
    this.#collectedOffset = endOffset;
    this.#rehearsal.noteOutput();
    this.announcer.note("output");
    this.announcer.note("terminal");
  }

  #rehearseAttach(): void {
    if (this.phase === "running" && this.viewers.count === 0) {
      const nowhere = { write: (bytes: Uint8Array) => bytes.length, end: () => undefined };
      this.streams.close(this.streams.open(nowhere, { version: WORKER_PROTOCOL.max, viewer: "fresh" }));
    }
  }

  #noteExit(exit: ExitOutcome): void {
    this.hooks.end();
    this.writeJournal();
    const { endOffset } = this.runtime.ring;
    this.#options.logger.info("child_exited", { code: exit.code, signal: exit.signal, end_offset: endOffset });
    this.streams.finish(exit);
    this.waiters.release();
    this.announcer.flush();
    this.#options.emit({ event: "child_exited", exit, end_offset: endOffset });
    this.#retentionTimer = setTimeout(() => {
      this.#options.logger.warn("outcome_expired");
      this.#options.onRetired();
    }, WORKER_LIMITS.outcomeRetentionMs);
  }

  #refuse(message: string): never {
    throw workerError("worker_invalid_state", message, { details: { phase: this.phase } });
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#retentionTimer);
    this.#rehearsal[Symbol.dispose]();
    this.collector[Symbol.dispose]();
    this.announcer[Symbol.dispose]();
    this.viewers[Symbol.dispose]();
    this.waiters.release();
    this.#streams?.[Symbol.dispose]();
  }
}

function childEnvironment({ identity, socketPath }: WorkerSessionOptions): Record<string, string> {
  return {
    POHUNEK_WORKER_ID: identity.worker_id,
    POHUNEK_WORKER_INSTANCE_ID: identity.runtime_id,
    POHUNEK_WORKER_SOCKET_PATH: socketPath,
    POHUNEK_WORKER_HOOK_PROTOCOL_VERSION: String(WORKER_HOOK_PROTOCOL_VERSION),
  };
}

function entrypointOf({ argv, executable, env, cwd }: LaunchSpec): ReturnType<typeof freezeEntrypoint> {
  return freezeEntrypoint(lookUpProgram({ program: executable ?? argv[0] ?? "", env, cwd }), argv);
}

interface JournalFacts {
  readonly identity: WorkerIdentity;
  readonly worker: WorkerJournal["worker"];
  readonly spawnId: string | undefined;
  readonly phase: WorkerPhase;
  readonly startedAtMs: number;
  readonly runtime: SessionRuntime | undefined;
  readonly hooks: HookFacts | undefined;
}

function journalOf({ identity, worker, spawnId, phase, startedAtMs, runtime, hooks }: JournalFacts): WorkerJournal {
  return {
    schema: JOURNAL_SCHEMA,
    ...identity,
    worker,
    protocol: WORKER_PROTOCOL,
    phase,
    started_at_ms: startedAtMs,
    ...(runtime ? { child: runtime.child, ...runtime.size } : {}),
    ...(runtime?.exit ? { exit: runtime.exit } : {}),
    output_start_offset: runtime?.ring.startOffset ?? 0,
    output_end_offset: runtime?.ring.endOffset ?? 0,
    ...(spawnId === undefined ? {} : { worker_spawn_id: spawnId }),
    ...(hooks === undefined ? {} : { hooks }),
  };
}
