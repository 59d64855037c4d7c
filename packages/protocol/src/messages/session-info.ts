import { z } from "zod";
import {
  boundedText,
  count,
  decimalString,
  dimension,
  idOf,
  milliseconds,
  nameOf,
  openEnum,
  openObject,
  processId,
  schemaNotes,
  timestamp,
} from "../schema.ts";
import {
  ACTIVITY_DETAIL_KINDS,
  AGENT_ACTIVITIES,
  CHOICE_WAYS,
  CWD_SOURCES,
  LAUNCH_KINDS,
  RUNTIME_STATES,
  SESSION_STATES,
  STATE_SOURCES,
  SUBAGENT_LIFECYCLES,
  WARNING_KINDS,
} from "../wire/enums.ts";
import type { InputId, ProjectId, SessionId, WorkerId, WorkerInstanceId } from "../wire/ids.ts";
import { LIMITS } from "../wire/limits.ts";
import { fitsUtf8 } from "../wire/text.ts";

export const sessionId = idOf<SessionId>("session id");
export const workerInstanceId = idOf<WorkerInstanceId>("worker instance id");
export const workerId = idOf<WorkerId>("worker id");
export const sessionName = nameOf(LIMITS.sessionNameBytes);
export const activity = openEnum(AGENT_ACTIVITIES);
export const stateSource = openEnum(STATE_SOURCES);

/** One PTY generation of a session. */
export const runtimeIdentity = openObject({
  worker_instance_id: workerInstanceId,
  runtime_generation: decimalString,
}).register(schemaNotes, { label: "RuntimeIdentity" });
export type RuntimeIdentity = z.output<typeof runtimeIdentity>;

const sessionRuntime = openObject({
  state: openEnum(RUNTIME_STATES),
  runtime_generation: decimalString,
  worker_id: workerId.optional(),
  worker_instance_id: workerInstanceId.optional(),
  started_at: timestamp.optional(),
  last_connected_at: timestamp.optional(),
  loss_reason: z.string().optional(),
}).register(schemaNotes, { label: "SessionRuntime" });
export type SessionRuntime = z.output<typeof sessionRuntime>;

export const subagentInfo = openObject({
  id: z.string(),
  parent_id: z.string().optional(),
  provider: z.string(),
  agent_type: z.string().optional(),
  lifecycle: openEnum(SUBAGENT_LIFECYCLES),
  activity: activity.optional(),
  revision: decimalString,
  started_at_ms: milliseconds,
  updated_at_ms: milliseconds,
  finished_at_ms: milliseconds.optional(),
}).register(schemaNotes, { label: "SubagentInfo" });
export type SubagentInfo = z.output<typeof subagentInfo>;

const sessionWarning = openObject({
  kind: openEnum(WARNING_KINDS),
  message: z.string(),
  detail: z.string().optional(),
}).register(schemaNotes, { label: "Warning" });
export type SessionWarning = z.output<typeof sessionWarning>;

/** Where a statement about the activity comes from. */
const activityEvidence = openObject({
  source: z.string(),
  rule: z.string().optional(),
  region: z.string().optional(),
  matched_text: z.string().optional(),
}).register(schemaNotes, { label: "ActivityEvidence", isOurs: true });

/** A question as the screen shows it. Untrusted text. */
const visibleQuestion = openObject({
  text: boundedText(LIMITS.pathBytes),
  options: z.array(
    openObject({
      /** Number or letter, where it has one. */
      key: z.string().optional(),
      label: z.string(),
      selected: z.boolean(),
    }).register(schemaNotes, { label: "VisibleOption", isOurs: true }),
  ),
  /** How an option is chosen: its number is typed, or the marker moved by arrow keys. */
  choose: openEnum(CHOICE_WAYS).optional(),
  /** Of the activity that it belongs to: an answer is only given while it stands. */
  revision: decimalString,
}).register(schemaNotes, { label: "VisibleQuestion", isOurs: true });

const activityDetail = openObject({
  /** Absent: the evidence is all there is to say. */
  kind: openEnum(ACTIVITY_DETAIL_KINDS).optional(),
  /** When a limit ends. */
  until: timestamp.optional(),
  /** What the agent says it waits for or failed at. Untrusted text. */
  text: boundedText(LIMITS.pathBytes).optional(),
  question: visibleQuestion.optional(),
  evidence: activityEvidence.optional(),
}).register(schemaNotes, { label: "ActivityDetail", isOurs: true });
export type ActivityDetail = z.output<typeof activityDetail>;

/** `activity_detail` of a session or an agent_state event: ours, optional. */
export const activityDetailField = activityDetail.optional().register(schemaNotes, { isOurs: true });

/** Metadata of a session. The owner's free text: never walked, never translated. */
export const sessionMetadata = z
  .record(metadataKey(), boundedText(LIMITS.metadataValueBytes))
  .refine(isWithinMetadataLimits, "has more than 32 keys or 16 KiB");

export function metadataKey() {
  return boundedText(LIMITS.metadataKeyBytes).min(1);
}

/** True when a session may keep this metadata: at most 32 keys and 16 KiB of keys and values together. */
export function isWithinMetadataLimits(metadata: Readonly<Record<string, string>>): boolean {
  const entries = Object.entries(metadata);
  return entries.length <= LIMITS.metadataKeys && fitsUtf8(entries.flat().join(""), LIMITS.metadataTotalBytes);
}

/** What the session was started as, and where: its program may have gone elsewhere since. */
const sessionLaunch = openObject({ kind: openEnum(LAUNCH_KINDS), cwd: z.string() }).register(schemaNotes, {
  label: "Launch",
  isOurs: true,
});

const sessionShape = {
  id: sessionId,
  external: z.boolean().optional(),
  capabilities: openObject({ resume: z.boolean(), fork: z.boolean() }),
  name: z.string().optional(),
  agent: z.string(),
  agent_base: z.string(),
  cwd: z.string(),
  cwd_source: openEnum(CWD_SOURCES).optional(),
  launch: sessionLaunch.optional().register(schemaNotes, { isOurs: true }),
  pid: processId,
  runtime: sessionRuntime.optional(),
  cols: count,
  rows: count,
  state: openEnum(SESSION_STATES),
  state_source: stateSource,
  activity: activity.optional(),
  activity_detail: activityDetailField,
  subagents: z.array(subagentInfo).optional(),
  active_agent: z.string().optional(),
  active_agent_base: z.string().optional(),
  active_agent_pid: processId.optional(),
  active_agent_session_id: z.string().optional(),
  active_agent_session_path: z.string().optional(),
  native_session_id: z.string().optional(),
  native_session_path: z.string().optional(),
  native_last_activity_at: timestamp.optional(),
  project_id: idOf<ProjectId>("project id").optional(),
  project_label: z.string().optional(),
  is_linked_worktree: z.boolean().optional(),
  repo: z.string().optional(),
  branch: z.string().optional(),
  worktree_path: z.string().optional(),
  warnings: z.array(sessionWarning).optional(),
  metadata: z.record(z.string(), z.string()).optional(),
  created_at: timestamp,
  updated_at: timestamp,
  exit_code: z.number().int().optional(),
};

export const sessionInfo = openObject(sessionShape).register(schemaNotes, { label: "SessionInfo" });

/** A session as a client receives it: enums may hold values of a newer host. */
export type SessionInfo = z.output<typeof sessionInfo>;
/** A session as a host must write it: listed enum values only, empty arrays and maps left out. */
export type SessionInfoReply = z.input<typeof sessionInfo>;

/** What session.new and session.fork answer: the session itself, and the input that was applied to it. */
export const startedSession = openObject({
  ...sessionShape,
  applied_input: z.string().optional(),
  /** Names the receipt of an agent's first input, also while that waits for the agent to be ready. */
  input_id: idOf<InputId>("input id").optional().register(schemaNotes, { isOurs: true }),
}).register(schemaNotes, { label: "SessionInfo + applied_input?" });

export const screenSize = openObject({ cols: dimension, rows: dimension });
