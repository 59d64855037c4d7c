import type { SessionId } from "@pohunek/protocol/wire";
import { protocolError } from "@pohunek/protocol/wire";
import type { Logger } from "../logs/logger.ts";
import { failureFields } from "../logs/logger.ts";
import type { AuditLog } from "../store/audit-log.ts";
import type { AuditEvent, Store, StoreChanges } from "../store/store.ts";
import type { Session } from "./session.ts";

export interface RecordKeeperPorts {
  readonly store: Pick<Store, "commit" | "keep" | "settle" | "keptIds">;
  readonly audit: Pick<AuditLog, "drain">;
  readonly log: Logger;
  readonly find: (id: SessionId) => Session | undefined;
  /** The session's last change is in the database at last. */
  readonly onStored: (session: Session) => void;
}

/** Waits between tries to store a fact that the disk refused. */
const RETRY_FIRST_MS = 1000;
const RETRY_LAST_MS = 60_000;

/** Writes the changes of sessions, and brings those that the database refused into it as soon as it takes them. */
export class RecordKeeper implements Disposable {
  readonly #ports: RecordKeeperPorts;
  /** Sessions that the database does not have as they are, and whether that is durable beside it. */
  readonly #unstored = new Map<SessionId, { readonly isDurable: boolean }>();
  #retryMs = RETRY_FIRST_MS;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #isDrainScheduled = false;

  constructor(ports: RecordKeeperPorts) {
    this.#ports = ports;
    if (this.unstoredCount > 0) {
      this.#scheduleRetry();
    }
  }

  isDurable({ id }: Session): boolean {
    return this.#unstored.get(id)?.isDurable ?? true;
  }

  get unstoredCount(): number {
    return new Set([...this.#unstored.keys(), ...this.#ports.store.keptIds]).size;
  }

  /** Throws io_error, with nothing changed, when the disk refuses. */
  commit(changes: StoreChanges): void {
    this.#write(() => this.#ports.store.commit(changes));
    this.#scheduleDrain(changes);
  }

  /** What is true already is shown in any case, and stored again and again until that works. */
  commitFact(session: Session, changes: StoreChanges, change: string): void {
    const { id } = session;
    try {
      if (!this.#keep(changes)) {
        this.#unstored.set(id, { isDurable: true });
      }
    } catch (cause) {
      this.#ports.log.error("session_not_stored", { session_id: id, change, ...failureFields(cause) });
      this.#unstored.set(id, { isDurable: false });
      this.#scheduleRetry();
    }
  }

  /** Throws io_error when the removal can't be made durable. */
  commitRemoval(id: SessionId, events: readonly AuditEvent[]): void {
    this.#keep({ removedSession: id, operation: null, events });
    this.#unstored.delete(id);
  }

  /** False when the database does not have it yet. */
  #keep(changes: StoreChanges): boolean {
    const isStored = this.#write(() => this.#ports.store.keep(changes));
    this.#scheduleDrain(changes);
    if (!isStored) {
      this.#ports.log.warn("kept_beside_store", { session_id: changes.session?.id ?? changes.removedSession });
      this.#scheduleRetry();
    }
    return isStored;
  }

  #write<Result>(write: () => Result): Result {
    try {
      return write();
    } catch (cause) {
      const { code = "unknown" } = failureFields(cause);
      throw protocolError("io_error", { message: `the session store can't be written (${code})`, cause });
    }
  }

  /** Sees that the session's last change is durable. Throws when it can't be. */
  ensureStored(session: Session): void {
    if (this.isDurable(session)) {
      return;
    }
    if (this.#keep({ session: session.record, operation: session.operation ?? null })) {
      this.#noteStored(session);
    } else {
      this.#unstored.set(session.id, { isDurable: true });
    }
  }

  #noteStored(session: Session): void {
    this.#unstored.delete(session.id);
    this.#ports.onStored(session);
  }

  #scheduleDrain({ events }: StoreChanges): void {
    if (events !== undefined && !this.#isDrainScheduled) {
      this.#isDrainScheduled = true;
      setImmediate(() => this.#drainAudit());
    }
  }

  #drainAudit(): void {
    this.#isDrainScheduled = false;
    try {
      this.#ports.audit.drain();
    } catch (cause) {
      // The events stay in the store's outbox and follow with the next change.
      this.#ports.log.error("audit_log_not_written", failureFields(cause));
    }
  }

  #scheduleRetry(): void {
    this.#retry ??= setTimeout(() => this.#storeAgain(), this.#retryMs);
  }

  #storeAgain(): void {
    this.#retry = undefined;
    try {
      this.#storeNow();
      this.#retryMs = RETRY_FIRST_MS;
    } catch (cause) {
      this.#ports.log.error("session_not_stored", { sessions: this.unstoredCount, ...failureFields(cause) });
      this.#retryMs = Math.min(this.#retryMs * 2, RETRY_LAST_MS);
      this.#scheduleRetry();
    }
  }

  /** Brings into the database what it refused before. Throws when it still does. */
  #storeNow(): void {
    const { store, find } = this.#ports;
    for (const id of this.#unstored.keys()) {
      const session = find(id);
      if (session === undefined) {
        this.#unstored.delete(id);
      } else {
        store.commit({ session: session.record, operation: session.operation ?? null });
        this.#noteStored(session);
      }
    }
    store.settle();
    this.#scheduleDrain({ events: [] });
  }

  /** Stores and logs what has waited, as far as the disk lets it. */
  [Symbol.dispose](): void {
    clearTimeout(this.#retry);
    try {
      this.#storeNow();
    } catch (cause) {
      this.#ports.log.error("sessions_not_stored_at_end", { sessions: this.unstoredCount, ...failureFields(cause) });
    }
    this.#drainAudit();
  }
}
