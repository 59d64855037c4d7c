import type { SessionId, WorkerId, WorkerInstanceId } from "@pohunek/protocol/wire";
import {
  isSessionId,
  isWorkerInstanceId,
  LAUNCH_KINDS,
  RUNTIME_STATES,
  SESSION_STATES,
  SUBAGENT_LIFECYCLES,
} from "@pohunek/protocol/wire";
import { openSealedLaunch, readNativeReference, sealLaunch } from "./native-launch.ts";
import type { SessionRecord, SessionWarning, SubagentRecord, WorkerProcessRecord } from "./session-record.ts";

/** A row of the `sessions` table as SQLite gives it. */
export type SessionRow = Readonly<Record<string, string | number | null>>;

/** A stored row that this release can't understand: kept as it is, and told to the operator. */
export interface UnreadableRow {
  readonly id: string;
  readonly reason: string;
}

export function toRow(record: SessionRecord): SessionRow {
  const { runtime } = record;
  return {
    id: record.id,
    name: record.name ?? null,
    agent: record.agent,
    agent_base: record.agentBase,
    launch: record.launch,
    program: record.program,
    cwd: record.cwd,
    cols: record.cols,
    rows: record.rows,
    state: record.state,
    exit_code: record.exitCode ?? null,
    exit_signal: record.exitSignal ?? null,
    runtime_state: runtime.state,
    generation: runtime.generation,
    worker_id: runtime.workerId,
    runtime_id: runtime.runtimeId,
    worker_pid: runtime.worker?.pid ?? null,
    worker_start_identity: runtime.worker?.startIdentity ?? null,
    boot_id: runtime.worker?.bootId ?? null,
    child_pid: runtime.childPid ?? null,
    started_at: runtime.startedAt ?? null,
    last_connected_at: runtime.lastConnectedAt ?? null,
    loss_reason: runtime.lossReason ?? null,
    native_launch:
      record.nativeLaunch === undefined ? (record.brokenLaunch ?? null) : sealLaunch(record.id, record.nativeLaunch),
    native_reference: record.nativeReference === undefined ? null : JSON.stringify(record.nativeReference),
    subagents: record.subagents === undefined ? null : JSON.stringify(record.subagents),
    metadata: JSON.stringify(record.metadata),
    warnings: JSON.stringify(record.warnings),
    created_at: record.createdAt,
    updated_at: record.updatedAt,
  };
}

/** Reads a row, or says why it can't be read. */
export function fromRow(row: SessionRow): SessionRecord | UnreadableRow {
  try {
    return readRow(row);
  } catch (cause) {
    return { id: String(row["id"]), reason: (cause as Error).message };
  }
}

function readRow(row: SessionRow): SessionRecord {
  const id = text(row, "id");
  const runtimeId = text(row, "runtime_id");
  if (!isSessionId(id) || !isWorkerInstanceId(runtimeId)) {
    throw new Error("an id is malformed");
  }
  return {
    id: id satisfies SessionId,
    name: optionalText(row, "name"),
    agent: text(row, "agent"),
    agentBase: text(row, "agent_base"),
    launch: choice(row, "launch", LAUNCH_KINDS),
    program: optionalText(row, "program") ?? text(row, "agent"),
    cwd: text(row, "cwd"),
    cols: positive(row, "cols"),
    rows: positive(row, "rows"),
    state: choice(row, "state", SESSION_STATES),
    exitCode: optionalInteger(row, "exit_code"),
    exitSignal: optionalText(row, "exit_signal"),
    runtime: {
      state: choice(row, "runtime_state", RUNTIME_STATES),
      generation: positive(row, "generation"),
      workerId: text(row, "worker_id") as WorkerId,
      runtimeId: runtimeId satisfies WorkerInstanceId,
      worker: workerProcess(row),
      childPid: optionalInteger(row, "child_pid"),
      startedAt: optionalText(row, "started_at"),
      lastConnectedAt: optionalText(row, "last_connected_at"),
      lossReason: optionalText(row, "loss_reason"),
    },
    ...readLaunch(row, id),
    nativeReference: optionalObject(row, "native_reference", readNativeReference),
    subagents: optionalObject(row, "subagents", readSubagents),
    metadata: stringMap(row, "metadata"),
    warnings: warnings(row, "warnings"),
    createdAt: timestamp(row, "created_at"),
    updatedAt: timestamp(row, "updated_at"),
  };
}

/** A launch that was edited is kept for its owner to see, and never run. */
function readLaunch(row: SessionRow, id: SessionId): Pick<SessionRecord, "nativeLaunch" | "brokenLaunch"> {
  const stored = optionalText(row, "native_launch");
  if (stored === undefined) {
    return {};
  }
  const nativeLaunch = openSealedLaunch(id, stored);
  return nativeLaunch === undefined ? { brokenLaunch: stored } : { nativeLaunch };
}

function workerProcess(row: SessionRow): WorkerProcessRecord | undefined {
  const pid = optionalInteger(row, "worker_pid");
  return pid === undefined
    ? undefined
    : { pid, startIdentity: text(row, "worker_start_identity"), bootId: text(row, "boot_id") };
}

function text(row: SessionRow, column: string): string {
  const value = row[column];
  if (typeof value !== "string" || value === "") {
    throw new Error(`${column} is missing`);
  }
  return value;
}

function optionalText(row: SessionRow, column: string): string | undefined {
  return row[column] === null || row[column] === undefined ? undefined : text(row, column);
}

function optionalInteger(row: SessionRow, column: string): number | undefined {
  const value = row[column];
  if (value === null || value === undefined) {
    return undefined;
  }
  if (typeof value !== "number" || !Number.isSafeInteger(value)) {
    throw new Error(`${column} is not an integer`);
  }
  return value;
}

function positive(row: SessionRow, column: string): number {
  const value = optionalInteger(row, column);
  if (value === undefined || value < 1) {
    throw new Error(`${column} is not a positive integer`);
  }
  return value;
}

function choice<Choice extends string>(row: SessionRow, column: string, choices: readonly Choice[]): Choice {
  const found = choices.find((item) => item === row[column]);
  if (found === undefined) {
    throw new Error(`${column} has an unknown value`);
  }
  return found;
}

function timestamp(row: SessionRow, column: string): string {
  const value = text(row, column);
  if (Number.isNaN(Date.parse(value))) {
    throw new Error(`${column} is not a time`);
  }
  return value;
}

function parseJson(row: SessionRow, column: string): unknown {
  try {
    return JSON.parse(text(row, column));
  } catch (cause) {
    throw new Error(`${column} is not JSON`, { cause });
  }
}

/** What can't be understood counts as absent: it must not keep a running session from being found. */
function optionalObject<Value>(
  row: SessionRow,
  column: string,
  read: (value: object) => Value | undefined,
): Value | undefined {
  const value = row[column] === null || row[column] === undefined ? undefined : parseJson(row, column);
  return typeof value === "object" && value !== null ? read(value) : undefined;
}

function readSubagents(value: object): readonly SubagentRecord[] | undefined {
  return Array.isArray(value) && value.every(isSubagent) ? value : undefined;
}

function isSubagent(value: unknown): value is SubagentRecord {
  const row = value as Partial<SubagentRecord> | null;
  return (
    typeof row === "object" &&
    typeof row?.id === "string" &&
    typeof row.provider === "string" &&
    SUBAGENT_LIFECYCLES.some((lifecycle) => lifecycle === row.lifecycle) &&
    [row.revision, row.startedAtMs, row.updatedAtMs].every((count) => Number.isSafeInteger(count))
  );
}

function stringMap(row: SessionRow, column: string): Record<string, string> {
  const value = parseJson(row, column);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new Error(`${column} is not an object`);
  }
  if (!Object.values(value).every((item) => typeof item === "string")) {
    throw new Error(`${column} has a value that is no text`);
  }
  return value as Record<string, string>;
}

function warnings(row: SessionRow, column: string): SessionWarning[] {
  const value = parseJson(row, column);
  if (!Array.isArray(value) || !value.every(isWarning)) {
    throw new Error(`${column} is not a list of warnings`);
  }
  return value;
}

function isWarning(value: unknown): value is SessionWarning {
  const warning = value as Partial<SessionWarning> | null;
  return typeof warning === "object" && typeof warning?.kind === "string" && typeof warning.message === "string";
}
