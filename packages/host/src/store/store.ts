import type { Database, Statement } from "bun:sqlite";
import type { SessionId } from "@pohunek/protocol/wire";
import type { OpenedDatabase } from "./database.ts";
import { openDatabase } from "./database.ts";
import { InputReceipts } from "./input-receipts.ts";
import { KeptFacts } from "./kept-facts.ts";
import type { Operation, OperationKind } from "./operation.ts";
import { OPERATION_KINDS } from "./operation.ts";
import { MIGRATIONS } from "./schema.ts";
import type { SessionRecord } from "./session-record.ts";
import type { SessionRow, UnreadableRow } from "./session-row.ts";
import { fromRow, toRow } from "./session-row.ts";

/** An event as the audit log tells it: flat facts, no terminal content, no arguments, no values of metadata. */
export type AuditEvent = Readonly<Record<string, string | number | boolean | undefined>> & { readonly event: string };

export interface OutboxEntry {
  readonly seq: number;
  readonly line: string;
}

/** What changes together, or not at all. */
export interface StoreChanges {
  readonly session?: SessionRecord;
  readonly removedSession?: SessionId;
  /** `null` ends the operation of `session` or `removedSession`. */
  readonly operation?: Operation | null;
  readonly events?: readonly AuditEvent[];
}

export interface LoadedSessions {
  readonly records: readonly SessionRecord[];
  readonly unreadable: readonly UnreadableRow[];
}

type SessionColumn = keyof ReturnType<typeof toRow>;

const SESSION_COLUMNS: readonly SessionColumn[] = [
  "id",
  "name",
  "agent",
  "agent_base",
  "launch",
  "program",
  "cwd",
  "cols",
  "rows",
  "state",
  "exit_code",
  "exit_signal",
  "runtime_state",
  "generation",
  "worker_id",
  "runtime_id",
  "worker_pid",
  "worker_start_identity",
  "boot_id",
  "child_pid",
  "started_at",
  "last_connected_at",
  "loss_reason",
  "native_launch",
  "native_reference",
  "subagents",
  "metadata",
  "warnings",
  "created_at",
  "updated_at",
];

/** What the daemon owns, in one SQLite file with one writer. Every write is one transaction, durable when it returns. */
export class Store implements Disposable {
  readonly receipts: InputReceipts;
  readonly #db: Database;
  readonly #kept: KeptFacts;
  readonly #upsertSession: Statement<unknown, [SessionRow]>;
  readonly #deleteSession: Statement<unknown, [string]>;
  readonly #upsertOperation: Statement<unknown, [SessionRow]>;
  readonly #deleteOperation: Statement<unknown, [string]>;
  readonly #insertEvent: Statement<unknown, [string]>;
  readonly #now: () => Date;
  /** How the file was when it was opened. */
  readonly opened: Pick<OpenedDatabase, "foundVersion" | "isAlone" | "backupPath">;

  constructor(path: string, now: () => Date = () => new Date()) {
    const { db, ...opened } = openDatabase(path, MIGRATIONS);
    this.#db = db;
    this.#kept = new KeptFacts(`${path}.spare`);
    this.receipts = new InputReceipts(db);
    this.opened = opened;
    this.#now = now;
    const columns = SESSION_COLUMNS.join(", ");
    const updates = SESSION_COLUMNS.filter((column) => column !== "id").map(
      (column) => `${column} = excluded.${column}`,
    );
    this.#upsertSession = db.query<unknown, [SessionRow]>(
      `INSERT INTO sessions (${columns}) VALUES (${SESSION_COLUMNS.map((column) => `$${column}`).join(", ")})
       ON CONFLICT (id) DO UPDATE SET ${updates.join(", ")}`,
    );
    this.#deleteSession = db.query<unknown, [string]>("DELETE FROM sessions WHERE id = ?");
    this.#upsertOperation = db.query<unknown, [SessionRow]>(
      `INSERT INTO operations (session_id, kind, step, attempts, started_at)
       VALUES ($sessionId, $kind, $step, $attempts, $startedAt)
       ON CONFLICT (session_id) DO UPDATE SET kind = excluded.kind, step = excluded.step, attempts = excluded.attempts`,
    );
    this.#deleteOperation = db.query<unknown, [string]>("DELETE FROM operations WHERE session_id = ?");
    this.#insertEvent = db.query<unknown, [string]>("INSERT INTO event_outbox (line) VALUES (?)");
  }

  /** Writes all of `changes` in one transaction. Throws and changes nothing when the disk refuses. */
  commit(changes: StoreChanges): void {
    this.#db.transaction(() => this.#apply(changes)).immediate();
    const id = changes.session?.id ?? changes.removedSession;
    if (id !== undefined && this.#kept.size > 0) {
      this.#kept.forget(id);
    }
  }

  /**
   * As `commit`, for what is true whatever the disk takes. False when the database refused it and it was kept beside it, from
   * where `settle` brings it in. Throws when it is kept nowhere.
   */
  keep(changes: StoreChanges): boolean {
    try {
      this.commit(changes);
      return true;
    } catch (cause) {
      if (!this.#keepBeside(changes)) {
        throw cause;
      }
      return false;
    }
  }

  #keepBeside(changes: StoreChanges): boolean {
    try {
      return this.#kept.keep(changes);
    } catch {
      // No room there either: the caller is told what the database said.
      return false;
    }
  }

  /** Sessions of which something is kept beside the database. */
  get keptIds(): Iterable<SessionId> {
    return this.#kept.ids;
  }

  /** Brings into the database what is kept beside it. Throws while that can't be. */
  settle(): void {
    this.#kept.prepare();
    if (this.#kept.size === 0) {
      return;
    }
    const stored = new Map(this.#readSessions().records.map((record) => [record.id, record]));
    for (const id of this.#kept.ids) {
      const events = this.#kept.eventsOf(id);
      const record = stored.get(id);
      const session = record === undefined ? undefined : this.#kept.complete(record);
      const operation = this.#kept.operationOf(id);
      this.commit(
        session === undefined ? { removedSession: id, operation: null, events } : { session, operation, events },
      );
    }
  }

  #apply({ session, removedSession, operation, events }: StoreChanges): void {
    if (session) {
      this.#upsertSession.run(toRow(session));
    }
    if (removedSession) {
      this.#deleteSession.run(removedSession);
      this.receipts.forgetSession(removedSession);
    }
    const sessionId = session?.id ?? removedSession;
    if (operation) {
      this.#upsertOperation.run({ ...operation });
    } else if (operation === null && sessionId) {
      this.#deleteOperation.run(sessionId);
    }
    for (const event of events ?? []) {
      this.#insertEvent.run(JSON.stringify({ ts: this.#now().toISOString(), ...event }));
    }
  }

  /** Every session; rows that can't be read stay where they are and are named. */
  loadSessions(): LoadedSessions {
    const { records, unreadable } = this.#readSessions();
    return { records: records.flatMap((record) => this.#kept.complete(record) ?? []), unreadable };
  }

  #readSessions(): LoadedSessions {
    const records: SessionRecord[] = [];
    const unreadable: UnreadableRow[] = [];
    for (const row of this.#db.query<SessionRow, []>("SELECT * FROM sessions ORDER BY created_at, rowid").all()) {
      const read = fromRow(row);
      if ("reason" in read) {
        unreadable.push(read);
      } else {
        records.push(read);
      }
    }
    return { records, unreadable };
  }

  /** Operations that were begun and not ended, by a daemon that is gone when this is asked at the start. */
  loadOperations(): Operation[] {
    const sql = "SELECT session_id AS sessionId, kind, step, attempts, started_at AS startedAt FROM operations";
    const stored = this.#db.query<Operation, []>(sql).all();
    const kept = [...this.#kept.ids].flatMap((id) => this.#kept.operationOf(id) ?? []);
    return [
      ...stored.filter(({ sessionId }) => this.#kept.operationOf(sessionId as SessionId) === undefined),
      ...kept,
    ].filter((operation) => OPERATION_KINDS.includes(operation.kind satisfies OperationKind));
  }

  /** The oldest events that the audit log may not have yet. */
  pendingEvents(limit: number): OutboxEntry[] {
    return this.#db.query<OutboxEntry, [number]>("SELECT seq, line FROM event_outbox ORDER BY seq LIMIT ?").all(limit);
  }

  forgetEvents(upToSeq: number): void {
    this.#db.query("DELETE FROM event_outbox WHERE seq <= ?").run(upToSeq);
  }

  /** Bytes of a page times pages: how big the store is, for the doctor. Throws when the file can't be read. */
  checkIntegrity(): string {
    const row = this.#db.query<{ quick_check: string }, []>("PRAGMA quick_check(1)").get();
    return row?.quick_check ?? "no answer";
  }

  [Symbol.dispose](): void {
    this.#db.close();
    this.#kept[Symbol.dispose]();
  }
}
