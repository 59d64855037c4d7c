import type { SessionId, WorkerId, WorkerInstanceId } from "@pohunek/protocol/wire";
import { isOpaqueId, isProtocolError, isSessionId, isWorkerInstanceId } from "@pohunek/protocol/wire";
import type { HookFacts } from "./hooks.ts";
import { parseHookFacts } from "./hooks.ts";
import type { ExitOutcome, ProcessIdentity, WorkerIdentity, WorkerPhase } from "./inspection.ts";
import type { JsonObject } from "./parse.ts";
import { asObject, integer, oneOf, optionalInteger, text } from "./parse.ts";
import { workerError } from "./worker-error.ts";

/**
 * What a worker leaves on disk: identities, geometry, phase, exit and offsets. Nothing typed, printed or rendered, no
 * argv, no environment. A daemon finds and checks workers by it, also when the worker is dead.
 */
export interface WorkerJournal extends WorkerIdentity {
  readonly schema: typeof JOURNAL_SCHEMA;
  readonly worker: ProcessIdentity & { readonly boot_id: string; readonly release: string };
  readonly protocol: { readonly min: number; readonly max: number };
  readonly phase: WorkerPhase;
  readonly started_at_ms: number;
  readonly child?: ProcessIdentity;
  readonly cols?: number;
  readonly rows?: number;
  readonly exit?: ExitOutcome;
  readonly output_start_offset: number;
  readonly output_end_offset: number;
  /** Kernel creation number of the worker, where the kernel has one: decimal digits. */
  readonly worker_spawn_id?: string;
  /** `<resource>:<jetsam>`, decimals (macOS). */
  readonly worker_coalitions?: string;
  /** What the program's hooks have told: names of its conversation and its sub-agents, nothing of their content. */
  readonly hooks?: HookFacts;
}

export const JOURNAL_SCHEMA = 1;
const READABLE_SCHEMAS: readonly number[] = [JOURNAL_SCHEMA];

/** Larger files are no journals; a real one has less than 2 KB, and 35 KB with all the sub-agents it may have. */
export const JOURNAL_BYTES_MAX = 65_536;

export type JournalReading =
  | { readonly kind: "journal"; readonly journal: WorkerJournal }
  | { readonly kind: "unusable"; readonly reason: JournalFault; readonly schema?: number };

/**
 * `schema_unsupported`: written by another release; says nothing about a generation. `malformed`: not a journal.
 * `unreadable`: the file could not be read. `too_large`: not ours.
 */
export type JournalFault = "schema_unsupported" | "malformed" | "unreadable" | "too_large";

export function parseJournal(content: string): JournalReading {
  try {
    const value = asObject(JSON.parse(content), "journal");
    const schema = value["schema"];
    if (typeof schema !== "number" || !Number.isSafeInteger(schema)) {
      return { kind: "unusable", reason: "malformed" };
    }
    if (!READABLE_SCHEMAS.includes(schema)) {
      return { kind: "unusable", reason: "schema_unsupported", schema };
    }
    return { kind: "journal", journal: readMembers(value) };
  } catch (cause) {
    if (cause instanceof SyntaxError || isProtocolError(cause, "worker_invalid_request")) {
      return { kind: "unusable", reason: "malformed" };
    }
    throw cause;
  }
}

const COUNT = { min: 0, max: Number.MAX_SAFE_INTEGER };
const PID = { min: 1, max: 2 ** 31 - 1 };
const CELLS = { min: 1, max: 65_535 };

function readMembers(value: JsonObject): WorkerJournal {
  const worker = asObject(value["worker"], "worker");
  const protocol = asObject(value["protocol"], "protocol");
  return {
    schema: JOURNAL_SCHEMA,
    session_id: idMember(value, "session_id", isSessionId),
    worker_id: idMember(value, "worker_id", isWorkerId),
    runtime_id: idMember(value, "runtime_id", isWorkerInstanceId),
    generation: integer(value, "generation", COUNT),
    worker: { ...readProcess(worker), boot_id: text(worker, "boot_id", 64), release: text(worker, "release", 64) },
    protocol: { min: integer(protocol, "min", COUNT), max: integer(protocol, "max", COUNT) },
    phase: oneOf(value, "phase", ["waiting", "running", "exited"]),
    started_at_ms: integer(value, "started_at_ms", COUNT),
    ...optional("child", value["child"] === undefined ? undefined : readProcess(asObject(value["child"], "child"))),
    ...optional("cols", optionalInteger(value, "cols", CELLS)),
    ...optional("rows", optionalInteger(value, "rows", CELLS)),
    ...optional("exit", value["exit"] === undefined ? undefined : readExit(asObject(value["exit"], "exit"))),
    output_start_offset: integer(value, "output_start_offset", COUNT),
    output_end_offset: integer(value, "output_end_offset", COUNT),
    ...optional("worker_spawn_id", optionalDigits(value, "worker_spawn_id")),
    ...optional(
      "worker_coalitions",
      value["worker_coalitions"] === undefined ? undefined : text(value, "worker_coalitions", 64),
    ),
    ...optional("hooks", value["hooks"] === undefined ? undefined : parseHookFacts(value["hooks"])),
  };
}

function optional<Name extends string, Value>(name: Name, value: Value | undefined): { [Key in Name]?: Value } {
  return value === undefined ? {} : ({ [name]: value } as { [Key in Name]: Value });
}

function isWorkerId(value: unknown): value is WorkerId {
  return isOpaqueId(value);
}

function idMember<Id extends SessionId | WorkerId | WorkerInstanceId>(
  value: JsonObject,
  name: string,
  isId: (candidate: unknown) => candidate is Id,
): Id {
  const member = value[name];
  if (!isId(member)) {
    throw workerError("worker_invalid_request", `Invalid ${name}.`);
  }
  return member;
}

function readProcess(value: JsonObject): ProcessIdentity {
  return { pid: integer(value, "pid", PID), start_identity: digits(value, "start_identity") };
}

function readExit(value: JsonObject): ExitOutcome {
  const code = optionalInteger(value, "code", { min: 0, max: 255 });
  const signal = value["signal"] === undefined ? undefined : text(value, "signal", 32);
  if ((code === undefined) === (signal === undefined)) {
    throw workerError("worker_invalid_request", "Invalid exit: exactly one of code and signal.");
  }
  return { ...optional("code", code), ...optional("signal", signal), at_ms: integer(value, "at_ms", COUNT) };
}

function digits(value: JsonObject, name: string): string {
  const member = text(value, name, 20);
  if (!/^\d+$/.test(member)) {
    throw workerError("worker_invalid_request", `Invalid ${name}.`);
  }
  return member;
}

function optionalDigits(value: JsonObject, name: string): string | undefined {
  return value[name] === undefined ? undefined : digits(value, name);
}
