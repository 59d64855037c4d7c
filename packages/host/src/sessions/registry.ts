import type { AnnouncedEvent } from "@pohunek/protocol";
import type { SessionId, WorkerInstanceId } from "@pohunek/protocol/wire";
import { protocolError } from "@pohunek/protocol/wire";
import type { Logger } from "../logs/logger.ts";
import type { Operation } from "../store/operation.ts";
import type { SessionRecord } from "../store/session-record.ts";
import type { AuditEvent, StoreChanges } from "../store/store.ts";
import type { Changes } from "./changes.ts";
import type { Transition, TransitionFacts } from "./lifecycle.ts";
import { amend, canTransit, transit } from "./lifecycle.ts";
import type { RecordKeeperPorts } from "./record-keeper.ts";
import { RecordKeeper } from "./record-keeper.ts";
import { Session } from "./session.ts";
import { toSessionInfo } from "./session-info.ts";

export interface RegistryPorts {
  readonly store: RecordKeeperPorts["store"];
  readonly audit: RecordKeeperPorts["audit"];
  readonly changes: Changes;
  readonly log: Logger;
  readonly announce: (event: AnnouncedEvent) => void;
  readonly now: () => Date;
}

/** What is written and told together with a change of a session. */
export interface ChangeOptions {
  /** `null` ends the session's operation; absent leaves it. */
  readonly operation?: Operation | null;
  readonly announce?: SessionEventName;
  /** Further facts for the audit log. */
  readonly audit?: Readonly<Record<string, string | number | boolean | undefined>>;
}

type SessionEventName =
  | "session_created"
  | "session_updated"
  | "session_stopped"
  | "session_removed"
  | "session_runtime_reconnected"
  | "session_runtime_lost"
  | "session_runtime_conflict"
  | "session_native_recovered";

/**
 * All sessions of this host, and the only place that changes one: each change is stored before it is shown and announced.
 * A change that somebody asked for fails when it can't be stored. A fact (the program ended, the worker is lost) is true
 * whether or not the disk takes it: it is shown at once and stored as soon as that works.
 */
export class Registry implements Disposable {
  readonly #ports: RegistryPorts;
  readonly #sessions = new Map<SessionId, Session>();
  readonly #keeper: RecordKeeper;

  constructor(ports: RegistryPorts) {
    this.#ports = ports;
    this.#keeper = new RecordKeeper({
      ...ports,
      find: (id) => this.#sessions.get(id),
      onStored: (session) => this.wake(session),
    });
  }

  get all(): Iterable<Session> {
    return this.#sessions.values();
  }

  find(id: string): Session | undefined {
    return this.#sessions.get(id as SessionId);
  }

  /** Fails with session_not_found. */
  get(id: string): Session {
    const session = this.find(id);
    if (session === undefined) {
      throw protocolError("session_not_found");
    }
    return session;
  }

  /** True when the session's last change is durable. */
  isStored(session: Session): boolean {
    return this.#keeper.isDurable(session);
  }

  /** Sessions whose last change the store's database does not have yet. */
  get unstoredCount(): number {
    return this.#keeper.unstoredCount;
  }

  /** Takes over a session that is in the store already. No worker is connected yet, whatever an earlier daemon knew. */
  adopt(stored: SessionRecord, operation: Operation | undefined): Session {
    const isLive = canTransit(stored, "disconnected");
    const record = isLive ? transit(stored, "disconnected", { at: this.#ports.now() }) : stored;
    const session = new Session(record, operation);
    this.#sessions.set(record.id, session);
    return session;
  }

  /** Stores and lists a new session. */
  add(record: SessionRecord, operation: Operation): Session {
    this.#keeper.commit({ session: record, operation, events: [this.#auditEvent(record, "session_starting")] });
    const session = new Session(record, operation);
    this.#sessions.set(record.id, session);
    return session;
  }

  /** Notes how far the session's operation has come, before the next step acts. Throws when that can't be stored. */
  note(session: Session, operation: Operation | null): void {
    this.#keeper.commit({ session: session.record, operation });
    session.operation = operation ?? undefined;
  }

  /** As `note`, for an operation that goes on whether or not the disk takes it: a full one must not keep a program alive. */
  intend(session: Session, operation: Operation | null): void {
    session.operation = operation ?? undefined;
    this.#keeper.commitFact(session, { session: session.record, operation }, operation?.kind ?? "operation_ended");
  }

  /** Changes what an owner asked to change. Throws, with nothing changed, when that can't be stored. */
  update(
    session: Session,
    patch: Partial<Pick<SessionRecord, "name" | "metadata" | "cols" | "rows" | "nativeReference">>,
  ): void {
    const record = amend({ ...session.record, ...patch }, this.#ports.now());
    this.#keeper.commit({ session: record });
    session.record = record;
    this.#show(session, "session_updated");
  }

  /** Moves the session along the table of its life, and stores that first. Throws, with nothing changed, when it can't. */
  move(session: Session, transition: Transition, facts: TransitionFacts & ChangeOptions = {}): void {
    const record = transit(session.record, transition, { ...facts, at: this.#ports.now() });
    this.#keeper.commit(this.#changesOf(record, transition, facts));
    this.#take(session, record, facts);
  }

  /** Moves the session along the table because of something that has happened: true also while the disk is full. */
  observe(session: Session, transition: Transition, facts: TransitionFacts & ChangeOptions = {}): void {
    const record = transit(session.record, transition, { ...facts, at: this.#ports.now() });
    this.#keeper.commitFact(session, this.#changesOf(record, transition, facts), transition);
    this.#take(session, record, facts);
  }

  /** A passing fact of the running program changed; it is shown, and stored with the session's next change. */
  touch(
    session: Session,
    patch: Partial<Pick<SessionRecord, "cols" | "rows" | "nativeReference" | "subagents">> = {},
  ): void {
    session.record = amend({ ...session.record, ...patch }, this.#ports.now());
    this.#show(session, "session_updated");
  }

  /** Wakes who waits for this session, without a change of its record. */
  wake(session: Session): void {
    this.#ports.changes.notify(session.id);
  }

  /** Removes the session and its operation from the store, then from the list. Throws when that can't be made durable. */
  remove(session: Session, event: "session_removed" | "session_rolled_back"): void {
    const { record } = session;
    this.#keeper.commitRemoval(record.id, [this.#auditEvent(record, event)]);
    session.operation = undefined;
    this.#sessions.delete(record.id);
    this.#ports.log.info(event, { session_id: record.id });
    this.#ports.changes.notify(record.id);
    if (event === "session_removed") {
      this.#ports.announce({ event, payload: { session: toSessionInfo(session) } });
    }
  }

  #changesOf(record: SessionRecord, transition: Transition, options: ChangeOptions): StoreChanges {
    const event = this.#auditEvent(record, options.announce ?? `session_${transition}`, options.audit);
    return { session: record, operation: options.operation, events: [event] };
  }

  #take(session: Session, record: SessionRecord, options: ChangeOptions): void {
    const { runtime } = record;
    this.#ports.log.info("session_moved", {
      session_id: record.id,
      state: record.state,
      from_runtime: session.record.runtime.state,
      runtime: runtime.state,
      source: "process",
      exit_code: record.exitCode,
      reason: runtime.lossReason,
    });
    const previous = session.record.runtime.runtimeId;
    session.record = record;
    if (options.operation !== undefined) {
      session.operation = options.operation ?? undefined;
    }
    this.#show(session, options.announce ?? "session_updated", previous);
  }

  #show(session: Session, event: SessionEventName, previous?: WorkerInstanceId): void {
    this.#ports.changes.notify(session.id);
    const payload = { session: toSessionInfo(session) };
    if (event === "session_native_recovered") {
      const ids = { previous_worker_instance_id: previous, worker_instance_id: session.record.runtime.runtimeId };
      this.#ports.announce({ event, payload: { ...payload, ...ids } });
    } else {
      this.#ports.announce({ event, payload });
    }
  }

  #auditEvent(record: SessionRecord, event: string, facts: ChangeOptions["audit"] = {}): AuditEvent {
    return {
      event,
      session_id: record.id,
      worker_instance_id: record.runtime.runtimeId,
      state: record.state,
      runtime: record.runtime.state,
      exit_code: record.exitCode,
      ...facts,
    };
  }

  /** Sees that the session's last change is durable. Throws when it can't be. */
  ensureStored(session: Session): void {
    this.#keeper.ensureStored(session);
  }

  /** Stores and logs what has waited, as far as the disk lets it. */
  [Symbol.dispose](): void {
    this.#keeper[Symbol.dispose]();
  }
}
