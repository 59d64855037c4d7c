import type { Database } from "bun:sqlite";

/** One forward step of the schema. `version` is what `PRAGMA user_version` says once the step is done. */
export interface Migration {
  readonly version: number;
  readonly summary: string;
  apply(db: Database): void;
}

/**
 * The store's schema, as the steps that lead to it. A step is never edited once released: a change is a new step.
 * `runtime_id` is the private spelling of the public `worker_instance_id`.
 */
export const MIGRATIONS: readonly Migration[] = [
  {
    version: 1,
    summary: "sessions and the journal of unfinished operations",
    apply(db) {
      db.run(`CREATE TABLE sessions (
        id TEXT PRIMARY KEY NOT NULL,
        name TEXT,
        agent TEXT NOT NULL,
        agent_base TEXT NOT NULL,
        cwd TEXT NOT NULL,
        cols INTEGER NOT NULL,
        rows INTEGER NOT NULL,
        state TEXT NOT NULL,
        exit_code INTEGER,
        runtime_state TEXT NOT NULL,
        generation INTEGER NOT NULL,
        worker_id TEXT,
        runtime_id TEXT,
        child_pid INTEGER,
        started_at TEXT,
        last_connected_at TEXT,
        loss_reason TEXT,
        metadata TEXT NOT NULL,
        warnings TEXT NOT NULL,
        created_at TEXT NOT NULL,
        updated_at TEXT NOT NULL
      ) STRICT`);
      db.run(`CREATE TABLE operations (
        session_id TEXT PRIMARY KEY NOT NULL,
        kind TEXT NOT NULL,
        step TEXT NOT NULL,
        attempts INTEGER NOT NULL,
        started_at TEXT NOT NULL
      ) STRICT`);
    },
  },
  {
    version: 2,
    summary: "what was launched, the worker's process, the ending signal, the outbox of the event log",
    apply(db) {
      db.run("ALTER TABLE sessions ADD COLUMN program TEXT");
      db.run("ALTER TABLE sessions ADD COLUMN launch TEXT NOT NULL DEFAULT 'shell'");
      db.run("ALTER TABLE sessions ADD COLUMN worker_pid INTEGER");
      db.run("ALTER TABLE sessions ADD COLUMN worker_start_identity TEXT");
      db.run("ALTER TABLE sessions ADD COLUMN boot_id TEXT");
      db.run("ALTER TABLE sessions ADD COLUMN exit_signal TEXT");
      db.run(`CREATE TABLE event_outbox (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        line TEXT NOT NULL
      ) STRICT`);
    },
  },
  {
    version: 3,
    summary: "how an agent's own conversation is taken up again",
    apply(db) {
      db.run("ALTER TABLE sessions ADD COLUMN native_launch TEXT");
      db.run("ALTER TABLE sessions ADD COLUMN native_reference TEXT");
    },
  },
  {
    version: 4,
    summary: "receipts of inputs",
    apply(db) {
      db.run(`CREATE TABLE input_receipts (
        session_id TEXT NOT NULL,
        input_id TEXT NOT NULL,
        kind TEXT NOT NULL,
        digest TEXT NOT NULL,
        bytes INTEGER NOT NULL,
        state TEXT NOT NULL,
        code TEXT,
        attempt INTEGER NOT NULL,
        text TEXT,
        mid_turn TEXT,
        is_left_over INTEGER NOT NULL,
        runtime_id TEXT NOT NULL,
        created_ms INTEGER NOT NULL,
        updated_ms INTEGER NOT NULL,
        expires_ms INTEGER NOT NULL,
        written_ms INTEGER,
        output_offset INTEGER,
        PRIMARY KEY (session_id, input_id)
      ) STRICT`);
      db.run("CREATE INDEX input_receipts_by_age ON input_receipts (created_ms)");
    },
  },
  {
    version: 5,
    summary: "how a queued input is written",
    apply(db) {
      db.run("ALTER TABLE input_receipts ADD COLUMN unpasted TEXT");
    },
  },
  {
    version: 6,
    summary: "sub-agents of a session's agent",
    apply(db) {
      db.run("ALTER TABLE sessions ADD COLUMN subagents TEXT");
    },
  },
];
