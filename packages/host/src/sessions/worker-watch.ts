import { constants } from "node:os";
import type { AnnouncedEvent } from "@pohunek/protocol";
import type { DaemonId, SessionId } from "@pohunek/protocol/wire";
import type { ManifestSource } from "../agents/detection/manifest-source.ts";
import type { RuntimeSource } from "../agents/runtime-definition.ts";
import type { Logger } from "../logs/logger.ts";
import { failureFields } from "../logs/logger.ts";
import type { Platform } from "../platform/index.ts";
import type { Supervisor, WorkerKey, WorkerLife } from "../supervision/supervisor.ts";
import type { WorkerClient } from "../worker-api/client.ts";
import type { WorkerEvent } from "../worker-api/events.ts";
import type { HookFacts } from "../worker-api/hooks.ts";
import type { ExitOutcome, Inspection } from "../worker-api/inspection.ts";
import { workerSocketPath } from "../worker-api/paths.ts";
import type { ViewerFacts } from "../worker-api/viewers.ts";
import { beginActivity, endActivity } from "./activity-watch.ts";
import type { EndedWorkers } from "./ended-workers.ts";
import type { HookReports } from "./hook-reports.ts";
import type { EndLeftovers } from "./leftovers.ts";
import { areConfirmed } from "./leftovers.ts";
import { canTransit, exitCodeOf, hasEnded, SILENT } from "./lifecycle.ts";
import type { NativeReferences } from "./native-references.ts";
import type { Registry } from "./registry.ts";
import type { Session } from "./session.ts";
import { factsOf } from "./session.ts";
import { judgeLife, runStateOf, workerProcessOf } from "./worker-life.ts";
import { WorkerLink } from "./worker-link.ts";

/** Is told who is attached to a session's worker. */
export interface ViewersListener {
  /** These are attached to a worker that was just reached. */
  found(sessionId: SessionId, viewers: readonly ViewerFacts[]): void;
  /** Only these are attached still; who is new among them is none of our concern. */
  left(sessionId: SessionId, viewers: readonly ViewerFacts[]): void;
}

export interface WorkerWatchOptions {
  readonly registry: Registry;
  readonly supervisor: Pick<Supervisor, "inspect" | "retire">;
  readonly platform: Pick<Platform, "processes">;
  readonly ended: EndedWorkers;
  readonly references: Pick<NativeReferences, "activityTold" | "readLastWords">;
  readonly hooks: HookReports;
  readonly runtimes: Pick<RuntimeSource, "all">;
  readonly manifests: ManifestSource;
  readonly endLeftovers: EndLeftovers;
  readonly daemonId: DaemonId;
  readonly viewers: ViewersListener;
  readonly runtimeRoot: string;
  /** How long a worker may say nothing when something is asked of it. */
  readonly answerMs: number;
  readonly announce: (event: AnnouncedEvent) => void;
  readonly log: Logger;
  readonly now: () => Date;
}

/** Follows the workers of sessions, and turns what they tell into the sessions' states, activities and facts. */
export class WorkerWatch {
  readonly #options: WorkerWatchOptions;

  constructor(options: WorkerWatchOptions) {
    this.#options = options;
  }

  /** Makes the link of a session to its worker; `start` or `startWith` begins it. */
  follow(session: Session): WorkerLink {
    const { daemonId, runtimeRoot, log, registry } = this.#options;
    const link = new WorkerLink({
      key: keyOf(session),
      socketPath: workerSocketPath(runtimeRoot, session.id),
      daemonId,
      judgeLife: () => this.judgeLife(session),
      runState: () => runStateOf(this.#options.platform, session.live?.worker),
      answerMs: this.#options.answerMs,
      log,
      listener: {
        connected: (inspection) => this.#connected(session, inspection),
        disconnected: (isSilent) => this.#disconnected(session, isSilent),
        event: (event) => this.#event(session, event),
        incompatible: () => this.#stepAside(session, "incompatible"),
        conflict: () => this.#stepAside(session, "conflicted"),
        dead: () => this.dead(session, "worker_died"),
        changed: () => registry.wake(session),
      },
    });
    session.link = link;
    registry.wake(session);
    return link;
  }

  /** Whether the session's worker is dead, for certain. */
  async judgeLife(session: Session): Promise<WorkerLife> {
    return await judgeLife(this.#options, keyOf(session), session.record.runtime);
  }

  /** The program was started over `client`, whose events go to the session's link from now on. */
  begin(session: Session, client: WorkerClient, inspection: Inspection): void {
    session.live = factsOf(inspection);
    session.link?.startWith(client);
    beginActivity(session, inspection, this.#options);
  }

  #connected(session: Session, inspection: Inspection): void {
    const { registry, now } = this.#options;
    session.live = factsOf(inspection);
    this.#options.viewers.found(session.id, inspection.viewers ?? []);
    this.#takeHooks(session, inspection.hooks);
    if (inspection.exit !== undefined) {
      this.#exited(session, inspection.exit);
      return;
    }
    const worker = workerProcessOf(inspection);
    const runtime = { lastConnectedAt: now().toISOString(), childPid: inspection.child?.pid, worker };
    if (canTransit(session.record, "connected")) {
      registry.observe(session, "connected", { runtime, announce: "session_runtime_reconnected" });
    } else if (inspection.phase === "running" && canTransit(session.record, "started")) {
      const startedAt = new Date(inspection.started_at_ms).toISOString();
      registry.observe(session, "started", { runtime: { ...runtime, startedAt }, announce: "session_created" });
    }
    beginActivity(session, inspection, this.#options);
  }

  #disconnected(session: Session, isSilent: boolean): void {
    endActivity(session);
    if (hasEnded(session.record)) {
      this.#options.ended.forget(session);
    } else if (isSilent) {
      this.silent(session);
    } else if (canTransit(session.record, "disconnected")) {
      this.#options.registry.observe(session, "disconnected");
    }
  }

  /** The session's worker lives and does not answer. The session says so until it does. */
  silent(session: Session): void {
    const { log, registry } = this.#options;
    if (canTransit(session.record, "silent")) {
      log.warn("worker_not_answering", { session_id: session.id });
      registry.observe(session, "silent", { runtime: { lossReason: SILENT } });
    }
  }

  #event(session: Session, event: WorkerEvent): void {
    const { live } = session;
    if (live === undefined) {
      return;
    }
    switch (event.event) {
      case "output_advanced":
        session.live = { ...live, outputEnd: event.end_offset };
        session.activity?.outputAdvanced(event.at_ms - (event.typed_at_ms ?? Number.NEGATIVE_INFINITY));
        this.#options.registry.wake(session);
        break;
      case "terminal_changed": {
        const { event: _name, bell: _bell, ...terminal } = event;
        session.live = { ...live, terminal };
        session.activity?.terminalChanged(terminal);
        this.#factChanged(session, live.terminal?.cwd !== terminal.cwd);
        break;
      }
      case "identity_changed":
        session.live = { ...live, foreground: event.foreground };
        session.activity?.foregroundChanged(event.foreground);
        this.#factChanged(session, live.foreground?.cwd !== event.foreground.cwd);
        break;
      case "geometry_changed": {
        const { cols, rows } = event;
        session.live = { ...live, cols, rows };
        if (cols !== live.cols || rows !== live.rows) {
          session.activity?.resized();
          this.#options.registry.touch(session, { cols, rows });
        }
        break;
      }
      case "child_exited":
        session.live = { ...live, outputEnd: event.end_offset };
        this.#exited(session, event.exit);
        break;
      case "runtime_fault":
        this.#options.log.warn("worker_fault", { session_id: session.id, code: event.fault.code });
        break;
      case "attach_count_changed":
        this.#options.viewers.left(session.id, event.viewers ?? []);
        break;
      case "hooks_reported":
        this.#takeHooks(session, event.hooks);
        break;
      case "runtime_started":
        break;
    }
  }

  #takeHooks(session: Session, facts: HookFacts | undefined): void {
    if (facts !== undefined) {
      this.#options.hooks.take(session, facts);
    }
  }

  #factChanged(session: Session, isVisible: boolean): void {
    if (isVisible) {
      this.#options.registry.touch(session);
    } else {
      this.#options.registry.wake(session);
    }
  }

  #exited(session: Session, exit: ExitOutcome): void {
    this.#recordExit(session, exit);
    this.#options.ended.keep(session, this.#options.references.readLastWords(session));
  }

  /** The program has ended. Who asked for that decides whether it counts as stopped. */
  #recordExit(session: Session, exit: ExitOutcome): void {
    const { registry, hooks } = this.#options;
    endActivity(session);
    session.reportedAgent = undefined;
    hooks.lose(session);
    if (!hasEnded(session.record)) {
      const wasAsked = session.operation?.kind === "stop" || session.operation?.kind === "remove";
      const ownOutcome = exit.code === 0 ? "done" : "failed";
      registry.observe(session, wasAsked ? "stopped" : ownOutcome, {
        exitCode: exitCodeOf({ code: exit.code, signalNumber: signalNumberOf(exit.signal) }),
        exitSignal: exit.signal,
        announce: wasAsked ? "session_stopped" : "session_updated",
        operation: session.operation?.kind === "stop" ? null : undefined,
      });
    }
  }

  #stepAside(session: Session, transition: "incompatible" | "conflicted"): void {
    const lossReason = transition === "incompatible" ? "worker_protocol_incompatible" : "worker_identity_mismatch";
    this.quarantine(session, transition, lossReason);
  }

  /** The session's worker is not one that this daemon may use; it is left alone, and the session says why. */
  quarantine(session: Session, transition: "incompatible" | "conflicted", lossReason: string): void {
    if (!canTransit(session.record, transition)) {
      return;
    }
    this.#options.log.warn("worker_quarantined", { session_id: session.id, state: transition, reason: lossReason });
    this.#options.registry.observe(session, transition, {
      runtime: { lossReason },
      announce: transition === "conflicted" ? "session_runtime_conflict" : "session_updated",
    });
  }

  /**
   * The worker's process is gone. What its program left behind is ended first. Then the session has ended as the worker's
   * last words in its journal say; without such words it is lost, or stopped when we ended the worker for that.
   */
  async dead(session: Session, reason: "worker_died" | "worker_missing" | "worker_unresponsive"): Promise<void> {
    const { endLeftovers, supervisor, log } = this.#options;
    const key = keyOf(session);
    let isClean = false;
    let exit: ExitOutcome | undefined;
    try {
      const sighting = await supervisor.inspect(key);
      const journal =
        sighting?.kind === "worker" && sighting.key.runtimeId === key.runtimeId ? sighting.journal : undefined;
      this.#takeHooks(session, journal?.hooks);
      exit = journal?.exit;
      isClean = areConfirmed(await endLeftovers(key));
    } catch (cause) {
      log.warn("leftovers_not_ended", { session_id: session.id, ...failureFields(cause) });
    }
    if (exit === undefined) {
      const transition = reason === "worker_unresponsive" ? "stopped" : "lost";
      this.#lose(session, transition, isClean ? reason : `${reason}_leftovers_unconfirmed`);
    } else {
      this.#recordExit(session, exit);
    }
    session.link = undefined;
    this.#options.viewers.left(session.id, []);
    try {
      await supervisor.retire(key);
    } catch (cause) {
      log.warn("worker_traces_left", { session_id: session.id, ...failureFields(cause) });
    }
  }

  /** How the program ended is not known. */
  #lose(session: Session, transition: "lost" | "stopped", lossReason: string): void {
    endActivity(session);
    session.live = undefined;
    session.reportedAgent = undefined;
    this.#options.hooks.lose(session);
    if (canTransit(session.record, transition)) {
      this.#options.registry.observe(session, transition, {
        runtime: { lossReason },
        announce: transition === "lost" ? "session_runtime_lost" : "session_stopped",
        operation: session.operation?.kind === "stop" ? null : undefined,
      });
    }
  }
}

export function keyOf({ record }: Session): WorkerKey {
  const { workerId, runtimeId, generation } = record.runtime;
  return { sessionId: record.id, workerId, runtimeId, generation };
}

function signalNumberOf(signal: string | undefined): number | undefined {
  return signal === undefined ? undefined : constants.signals[signal as NodeJS.Signals];
}
