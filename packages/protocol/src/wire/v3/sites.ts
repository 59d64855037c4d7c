/**
 * Where messages of protocol 3 differ from protocol 4: a worker's instance was spelt `runtime_id` there. Only these
 * typed places are translated. Free-form values (metadata, diff, text, package fields) are never looked into.
 */

/** Keys that lead to an object; `*` stands for every element of an array. */
export type Path = readonly string[];

export interface Sites {
  /** Objects that carry `worker_instance_id` (4) or `runtime_id` (3), and perhaps the `previous_` one. */
  readonly identities?: readonly Path[];
  /** Objects that are a SessionInfo: an identity under `runtime`, and warnings. */
  readonly sessions?: readonly Path[];
}

const FLAT: Sites = { identities: [[]] };
const RUNTIME: Sites = { identities: [["runtime"]] };
const BARE_SESSION: Sites = { sessions: [[]] };
const UNDER_SESSION: Sites = { sessions: [["session"]] };

export const paramSites: ReadonlyMap<string, Sites> = new Map([
  ["session.output", RUNTIME],
  ["session.wait", RUNTIME],
  ["session.report_native_id", FLAT],
]);

export const resultSites: ReadonlyMap<string, Sites> = new Map([
  ["session.input", RUNTIME],
  ["session.screen", FLAT],
  ["session.read", FLAT],
  ["session.output", FLAT],
  ["session.list", { sessions: [["*"]] }],
  ["session.inspect", BARE_SESSION],
  ["session.new", BARE_SESSION],
  ["session.fork", BARE_SESSION],
  ["session.resume", UNDER_SESSION],
  ["session.resize", UNDER_SESSION],
  ["session.set_metadata", UNDER_SESSION],
  ["session.rename", UNDER_SESSION],
  ["session.wait", UNDER_SESSION],
  ["session.runtime_inventory", { identities: [["entries", "*"]] }],
]);

/** Every event that protocol 3 has, with its sites. Others are withheld from its subscribers. */
export const eventSites: ReadonlyMap<string, Sites> = new Map<string, Sites>([
  ["session_created", UNDER_SESSION],
  ["session_updated", UNDER_SESSION],
  ["session_stopped", UNDER_SESSION],
  ["session_removed", UNDER_SESSION],
  ["session_runtime_reconnected", UNDER_SESSION],
  ["session_runtime_lost", UNDER_SESSION],
  ["session_runtime_conflict", UNDER_SESSION],
  ["session_runtime_discovered", { identities: [["entry"]] }],
  ["session_native_recovered", { identities: [[]], sessions: [["session"]] }],
  ["agent_state", RUNTIME],
  ["subagent_state", RUNTIME],
  ["attach_opened", {}],
  ["attach_closed", {}],
  ["notification_created", {}],
  ["notification_updated", {}],
  ["notification_deleted", {}],
]);

/** The kinds of warnings that protocol 3 has. Others are left out of a SessionInfo. */
export const warningKinds: ReadonlySet<unknown> = new Set(["fetch", "base_branch_fallback", "setup_script", "hook"]);
