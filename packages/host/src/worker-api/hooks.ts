import type { JsonObject } from "./parse.ts";
import { asObject, integer, list, oneOf, onlyMembers, optionalText, refuse, text } from "./parse.ts";

/** Which process of a session may say what its agent does, as the agent's package declares. */
export interface HookRules {
  /** Hook handler of the agent's runtime: what reports must name. */
  readonly provider: string;
  readonly schema: HookSchema;
  /** Base names of the agent's program. */
  readonly process_names: readonly string[];
  /** What the agent's conversations are called by. Absent: reports of them are refused. */
  readonly reference_kind?: HookReferenceKind;
}

const HOOK_SCHEMAS = ["named_for_provider", "frozen_root_entrypoint"] as const;
export type HookSchema = (typeof HOOK_SCHEMAS)[number];
const HOOK_REFERENCE_KINDS = ["id", "path"] as const;
export type HookReferenceKind = (typeof HOOK_REFERENCE_KINDS)[number];

/** All that hooks have told of a session's agent, as the worker keeps it. */
export interface HookFacts {
  readonly identity?: ReportedIdentity;
  readonly subagents: readonly SubagentFact[];
}

export interface ReportedIdentity {
  readonly provider: string;
  readonly reference_kind: HookReferenceKind;
  readonly native_reference: string;
  /** Decimal; tells one report of a generation from the next. */
  readonly sequence: string;
}

const SUBAGENT_LIFECYCLES = ["running", "completed", "lost"] as const;

export interface SubagentFact {
  readonly id: string;
  readonly parent_id?: string;
  readonly provider: string;
  readonly agent_type?: string;
  readonly lifecycle: (typeof SUBAGENT_LIFECYCLES)[number];
  readonly revision: number;
  readonly started_at_ms: number;
  readonly updated_at_ms: number;
  readonly finished_at_ms?: number;
}

/** Sizes and times of hook lines. */
export const HOOK_LIMITS = {
  /** One line to the worker's socket, LF excluded. */
  lineBytes: 16_384,
  /** How far ahead a report may expire. */
  claimMs: 60_000,
  idLength: 128,
  typeLength: 64,
  referenceLength: 4_096,
  snapshotRows: 64,
  runningSubagents: 64,
  finishedSubagents: 32,
} as const;

/** One line of a hook: who reports for which process, until when, and what. */
export type HookLine = HookClaim & HookReport;

export interface HookClaim {
  readonly runtime_id: string;
  readonly provider: string;
  /** The agent that the hook belongs to. */
  readonly pid: number;
  readonly start_identity: string;
  readonly sequence: bigint;
  readonly expiresAtMs: number;
}

export type HookReport =
  | {
      readonly type: "identity_report";
      readonly reference_kind: HookReferenceKind;
      readonly native_reference: string;
    }
  | { readonly type: "identity_release" }
  | {
      readonly type: "subagent_start";
      readonly subagent_id: string;
      readonly parent_id?: string;
      readonly agent_type?: string;
    }
  | { readonly type: "subagent_stop"; readonly subagent_id: string; readonly agent_type?: string }
  | { readonly type: "subagent_snapshot"; readonly tasks: readonly ListedTask[] };

/** A background task as the agent lists it. */
export interface ListedTask {
  readonly id: string;
  readonly type?: string;
  readonly status?: string;
}

const HOOK_TYPES = [
  "identity_report",
  "identity_release",
  "subagent_start",
  "subagent_stop",
  "subagent_snapshot",
] as const satisfies readonly HookReport["type"][];

const CLAIM = ["type", "runtime_id", "provider", "pid", "start_identity", "sequence", "expires_at"];
const PID = { min: 1, max: 2 ** 31 - 1 };
const COUNT = { min: 0, max: Number.MAX_SAFE_INTEGER };

/** True for a line that only a hook sends; what else is wrong with it shows when it is parsed. */
export function isHookLine(value: unknown): boolean {
  return typeof value === "object" && value !== null && "type" in value && !("op" in value);
}

/** Throws worker_invalid_request. */
export function parseHookLine(value: unknown): HookLine {
  const line = asObject(value, "hook line");
  const expiresAtMs = Date.parse(text(line, "expires_at", 40));
  return {
    runtime_id: text(line, "runtime_id", 128),
    provider: text(line, "provider", HOOK_LIMITS.typeLength),
    pid: integer(line, "pid", PID),
    start_identity: digits(line, "start_identity"),
    sequence: BigInt(digits(line, "sequence")),
    expiresAtMs: Number.isNaN(expiresAtMs) ? refuse("expires_at") : expiresAtMs,
    ...parseReport(line),
  };
}

function parseReport(line: JsonObject): HookReport {
  const type = oneOf(line, "type", HOOK_TYPES);
  const only = (...names: string[]): void => void onlyMembers(line, [...CLAIM, ...names]);
  switch (type) {
    case "identity_report":
      only("reference_kind", "native_reference");
      return {
        type,
        reference_kind: oneOf(line, "reference_kind", HOOK_REFERENCE_KINDS),
        native_reference: text(line, "native_reference", HOOK_LIMITS.referenceLength),
      };
    case "identity_release":
      only();
      return { type };
    case "subagent_start":
      only("subagent_id", "parent_id", "agent_type");
      return {
        type,
        subagent_id: text(line, "subagent_id", HOOK_LIMITS.idLength),
        parent_id: optionalText(line, "parent_id", HOOK_LIMITS.idLength),
        agent_type: optionalText(line, "agent_type", HOOK_LIMITS.typeLength),
      };
    case "subagent_stop":
      only("subagent_id", "agent_type");
      return {
        type,
        subagent_id: text(line, "subagent_id", HOOK_LIMITS.idLength),
        agent_type: optionalText(line, "agent_type", HOOK_LIMITS.typeLength),
      };
    case "subagent_snapshot":
      only("tasks");
      return { type, tasks: list(line, "tasks", { min: 0, max: HOOK_LIMITS.snapshotRows }).map(parseTask) };
  }
}

function parseTask(value: unknown): ListedTask {
  const task = onlyMembers(asObject(value, "task"), ["id", "type", "status"]);
  return {
    id: text(task, "id", HOOK_LIMITS.idLength),
    type: optionalText(task, "type", HOOK_LIMITS.typeLength),
    status: optionalText(task, "status", HOOK_LIMITS.typeLength),
  };
}

/** Of a launch. Throws worker_invalid_request. */
export function parseHookRules(value: unknown): HookRules | undefined {
  if (value === undefined) {
    return undefined;
  }
  const rules = asObject(value, "hooks");
  const kind = rules["reference_kind"];
  return {
    provider: text(rules, "provider", HOOK_LIMITS.typeLength),
    schema: oneOf(rules, "schema", HOOK_SCHEMAS),
    process_names: list(rules, "process_names", { min: 0, max: 64 }).map((name) =>
      typeof name === "string" && name !== "" ? name : refuse("process_names"),
    ),
    ...(kind === undefined ? {} : { reference_kind: oneOf(rules, "reference_kind", HOOK_REFERENCE_KINDS) }),
  };
}

/** From a journal: what a worker wrote before it died. Throws worker_invalid_request. */
export function parseHookFacts(value: unknown): HookFacts {
  const facts = asObject(value, "hooks");
  const identity = facts["identity"];
  const most = HOOK_LIMITS.runningSubagents + HOOK_LIMITS.finishedSubagents;
  return {
    ...(identity === undefined ? {} : { identity: parseIdentity(asObject(identity, "identity")) }),
    subagents: list(facts, "subagents", { min: 0, max: most }).map(parseSubagent),
  };
}

function parseIdentity(identity: JsonObject): ReportedIdentity {
  return {
    provider: text(identity, "provider", HOOK_LIMITS.typeLength),
    reference_kind: oneOf(identity, "reference_kind", HOOK_REFERENCE_KINDS),
    native_reference: text(identity, "native_reference", HOOK_LIMITS.referenceLength),
    sequence: digits(identity, "sequence"),
  };
}

function parseSubagent(value: unknown): SubagentFact {
  const fact = asObject(value, "subagent");
  const finished = fact["finished_at_ms"];
  return {
    id: text(fact, "id", HOOK_LIMITS.idLength),
    parent_id: optionalText(fact, "parent_id", HOOK_LIMITS.idLength),
    provider: text(fact, "provider", HOOK_LIMITS.typeLength),
    agent_type: optionalText(fact, "agent_type", HOOK_LIMITS.typeLength),
    lifecycle: oneOf(fact, "lifecycle", SUBAGENT_LIFECYCLES),
    revision: integer(fact, "revision", COUNT),
    started_at_ms: integer(fact, "started_at_ms", COUNT),
    updated_at_ms: integer(fact, "updated_at_ms", COUNT),
    ...(finished === undefined ? {} : { finished_at_ms: integer(fact, "finished_at_ms", COUNT) }),
  };
}

function digits(value: JsonObject, name: string): string {
  const member = text(value, name, 20);
  return /^\d+$/.test(member) ? member : refuse(name);
}
