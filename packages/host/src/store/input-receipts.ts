import type { Database, Statement } from "bun:sqlite";
import type {
  InputId,
  InputKind,
  InputState,
  MidTurnEffect,
  SessionId,
  UnpastedChoice,
  WorkerInstanceId,
} from "@pohunek/protocol/wire";
import { INPUT_KINDS, INPUT_STATES, MID_TURN_EFFECTS, UNPASTED_CHOICES } from "@pohunek/protocol/wire";
import type { SessionRow } from "./session-row.ts";

/** What is known of one input. Its text is kept only while it waits for its time, and its digest to know it again. */
export interface InputReceipt {
  readonly sessionId: SessionId;
  readonly inputId: InputId;
  readonly kind: InputKind;
  readonly digest: string;
  readonly bytes: number;
  readonly state: InputState;
  readonly code?: string;
  /** Counts the plans that were sent to the worker for it; the last one decides. */
  readonly attempt: number;
  readonly text?: string;
  /** Of one whose text is kept. */
  readonly unpasted?: UnpastedChoice;
  readonly midTurn?: MidTurnEffect;
  /** A part of it is in the agent's composer and was not submitted. */
  readonly isLeftOver: boolean;
  /** The PTY generation that it was meant for. */
  readonly runtimeId: WorkerInstanceId;
  readonly createdMs: number;
  readonly updatedMs: number;
  readonly expiresMs: number;
  readonly writtenMs?: number;
  readonly outputOffset?: number;
}

const COLUMNS = [
  "session_id",
  "input_id",
  "kind",
  "digest",
  "bytes",
  "state",
  "code",
  "attempt",
  "text",
  "unpasted",
  "mid_turn",
  "is_left_over",
  "runtime_id",
  "created_ms",
  "updated_ms",
  "expires_ms",
  "written_ms",
  "output_offset",
] as const;

const KEY_COLUMNS: readonly string[] = ["session_id", "input_id"];

/** Receipts of inputs in the store. Each write is a transaction of its own, durable when it returns. */
export class InputReceipts {
  readonly #db: Database;
  readonly #insert: Statement<unknown, [SessionRow]>;
  readonly #update: Statement<unknown, [SessionRow]>;
  readonly #find: Statement<SessionRow, [string, string]>;

  constructor(db: Database) {
    this.#db = db;
    this.#insert = db.query<unknown, [SessionRow]>(
      `INSERT INTO input_receipts (${COLUMNS.join(", ")}) VALUES (${COLUMNS.map((column) => `$${column}`).join(", ")})`,
    );
    const changes = COLUMNS.filter((column) => !KEY_COLUMNS.includes(column)).map((name) => `${name} = $${name}`);
    this.#update = db.query<unknown, [SessionRow]>(
      `UPDATE input_receipts SET ${changes.join(", ")} WHERE session_id = $session_id AND input_id = $input_id`,
    );
    this.#find = db.query<SessionRow, [string, string]>(
      "SELECT * FROM input_receipts WHERE session_id = ? AND input_id = ?",
    );
  }

  add(receipt: InputReceipt): void {
    this.#insert.run(toRow(receipt));
  }

  /** Changes one that is there; what went with its session stays away. */
  update(receipt: InputReceipt): void {
    this.#update.run(toRow(receipt));
  }

  find(sessionId: SessionId, inputId: InputId): InputReceipt | undefined {
    const row = this.#find.get(sessionId, inputId);
    return row === null ? undefined : fromRow(row);
  }

  /** Newest first; of one session, or of all. */
  list(sessionId: SessionId | undefined, limit: number): InputReceipt[] {
    const where = sessionId === undefined ? "" : "WHERE session_id = ?";
    const sql = `SELECT * FROM input_receipts ${where} ORDER BY created_ms DESC, rowid DESC LIMIT ?`;
    const rows =
      sessionId === undefined
        ? this.#db.query<SessionRow, [number]>(sql).all(limit)
        : this.#db.query<SessionRow, [string, number]>(sql).all(sessionId, limit);
    return rows.map(fromRow);
  }

  /** Those that are not submitted yet, oldest first. */
  queued(): InputReceipt[] {
    const sql = "SELECT * FROM input_receipts WHERE state = 'queued' ORDER BY created_ms, rowid";
    return this.#db.query<SessionRow, []>(sql).all().map(fromRow);
  }

  /** Those of which a part is in a composer. */
  leftOver(): InputReceipt[] {
    const sql = "SELECT * FROM input_receipts WHERE is_left_over = 1";
    return this.#db.query<SessionRow, []>(sql).all().map(fromRow);
  }

  /** Forgets what is older than `beforeMs` or beyond the newest `most`; what is still queued stays. */
  prune({ beforeMs, most }: { beforeMs: number; most: number }): void {
    this.#db
      .query(
        `DELETE FROM input_receipts WHERE state != 'queued' AND (created_ms < ?1 OR rowid NOT IN
         (SELECT rowid FROM input_receipts ORDER BY created_ms DESC, rowid DESC LIMIT ?2))`,
      )
      .run(beforeMs, most);
  }

  forgetSession(sessionId: string): void {
    this.#db.query("DELETE FROM input_receipts WHERE session_id = ?").run(sessionId);
  }
}

function toRow(receipt: InputReceipt): SessionRow {
  return {
    session_id: receipt.sessionId,
    input_id: receipt.inputId,
    kind: receipt.kind,
    digest: receipt.digest,
    bytes: receipt.bytes,
    state: receipt.state,
    code: receipt.code ?? null,
    attempt: receipt.attempt,
    text: receipt.text ?? null,
    unpasted: receipt.unpasted ?? null,
    mid_turn: receipt.midTurn ?? null,
    is_left_over: receipt.isLeftOver ? 1 : 0,
    runtime_id: receipt.runtimeId,
    created_ms: receipt.createdMs,
    updated_ms: receipt.updatedMs,
    expires_ms: receipt.expiresMs,
    written_ms: receipt.writtenMs ?? null,
    output_offset: receipt.outputOffset ?? null,
  };
}

/** The table is STRICT, so types hold; a value of a newer release counts as what can't be told. */
function fromRow(row: SessionRow): InputReceipt {
  const text = (name: string): string => String(row[name]);
  const number = (name: string): number => Number(row[name]);
  const optional = <Value>(name: string, read: (name: string) => Value): Value | undefined =>
    row[name] === null ? undefined : read(name);
  return {
    sessionId: text("session_id") as SessionId,
    inputId: text("input_id") as InputId,
    kind: INPUT_KINDS.find((kind) => kind === row["kind"]) ?? "prompt",
    digest: text("digest"),
    bytes: number("bytes"),
    state: INPUT_STATES.find((state) => state === row["state"]) ?? "unknown",
    code: optional("code", text),
    attempt: number("attempt"),
    text: optional("text", text),
    unpasted: UNPASTED_CHOICES.find((choice) => choice === row["unpasted"]),
    midTurn: MID_TURN_EFFECTS.find((effect) => effect === row["mid_turn"]),
    isLeftOver: row["is_left_over"] === 1,
    runtimeId: text("runtime_id") as WorkerInstanceId,
    createdMs: number("created_ms"),
    updatedMs: number("updated_ms"),
    expiresMs: number("expires_ms"),
    writtenMs: optional("written_ms", number),
    outputOffset: optional("output_offset", number),
  };
}
