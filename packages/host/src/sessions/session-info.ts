import type { SessionInfoReply } from "@pohunek/protocol";
import type { WarningKind } from "@pohunek/protocol/wire";
import { decimal } from "@pohunek/protocol/wire";
import type { SessionRecord, SubagentRecord } from "../store/session-record.ts";
import { activityDetailOf } from "./activity-detail.ts";
import { hasEnded } from "./lifecycle.ts";
import type { Session } from "./session.ts";

/** A session as the public protocol shows it. */
export function toSessionInfo(session: Session): SessionInfoReply {
  const { record, live, activity } = session;
  const now = activity?.current;
  return {
    id: record.id,
    capabilities: capabilitiesOf(record),
    name: record.name,
    agent: record.agent,
    agent_base: record.agentBase,
    ...currentDirectory(session),
    launch: { kind: record.launch, cwd: record.cwd },
    pid: record.runtime.childPid ?? 0,
    runtime: runtimeInfo(record),
    cols: live?.cols ?? record.cols,
    rows: live?.rows ?? record.rows,
    state: record.state,
    state_source: "process",
    ...nativeReference(record),
    activity: now?.activity,
    activity_detail: now && activityDetailOf(now),
    ...activeAgent(session),
    subagents: subagentsOf(record),
    warnings:
      record.warnings.length === 0
        ? undefined
        : record.warnings.map((warning) => ({ ...warning, kind: warning.kind as WarningKind })),
    metadata: Object.keys(record.metadata).length === 0 ? undefined : { ...record.metadata },
    created_at: record.createdAt,
    updated_at: record.updatedAt,
    exit_code: record.exitCode,
  };
}

/** What can be done with the session's conversation now: a shell has none, and an agent's may not be known yet. */
function capabilitiesOf({ nativeLaunch, nativeReference: known }: SessionRecord): SessionInfoReply["capabilities"] {
  const isKnown = known !== undefined;
  return {
    resume: isKnown && nativeLaunch?.resumeArgs !== undefined,
    fork: isKnown && nativeLaunch?.forkArgs !== undefined,
  };
}

function nativeReference({
  nativeReference: known,
}: SessionRecord): Pick<SessionInfoReply, "native_session_id" | "native_session_path" | "native_last_activity_at"> {
  switch (known?.kind) {
    case "id":
      return { native_session_id: known.value, native_last_activity_at: known.lastActivityAt };
    case "path":
      return { native_session_path: known.value, native_last_activity_at: known.lastActivityAt };
    case undefined:
      return {};
  }
}

function subagentsOf({ subagents = [] }: SessionRecord): SessionInfoReply["subagents"] {
  return subagents.length === 0 ? undefined : subagents.map(subagentInfo);
}

export function subagentInfo(row: SubagentRecord): NonNullable<SessionInfoReply["subagents"]>[number] {
  return {
    id: row.id,
    parent_id: row.parentId,
    provider: row.provider,
    agent_type: row.agentType,
    lifecycle: row.lifecycle,
    revision: decimal(row.revision),
    started_at_ms: row.startedAtMs,
    updated_at_ms: row.updatedAtMs,
    finished_at_ms: row.finishedAtMs,
  };
}

type ActiveAgentInfo = Pick<
  SessionInfoReply,
  "active_agent" | "active_agent_base" | "active_agent_pid" | "active_agent_session_id" | "active_agent_session_path"
>;

/** The agent that has the terminal, where it is not the one that the session was started with: as it says, else as it looks. */
function activeAgent({ activity, reportedAgent, record }: Session): ActiveAgentInfo {
  if (reportedAgent !== undefined && !hasEnded(record)) {
    const { agent, base, pid, nativeId, nativePath } = reportedAgent;
    return {
      active_agent: agent,
      active_agent_base: base,
      active_agent_pid: pid,
      active_agent_session_id: nativeId,
      active_agent_session_path: nativePath,
    };
  }
  const agent = activity?.activeAgent;
  return agent === undefined
    ? {}
    : { active_agent: agent.runtimeId, active_agent_base: agent.runtimeId, active_agent_pid: agent.pid };
}

function runtimeInfo({ runtime }: SessionRecord): NonNullable<SessionInfoReply["runtime"]> {
  return {
    state: runtime.state,
    runtime_generation: decimal(runtime.generation),
    worker_id: runtime.workerId,
    worker_instance_id: runtime.runtimeId,
    started_at: runtime.startedAt,
    last_connected_at: runtime.lastConnectedAt,
    loss_reason: runtime.lossReason,
  };
}

/** Where the program is now: what it told the terminal, else where the kernel sees it, else where it was started. */
function currentDirectory({ record, live }: Session): Pick<SessionInfoReply, "cwd" | "cwd_source"> {
  if (!hasEnded(record)) {
    if (live?.terminal?.cwd !== undefined) {
      return { cwd: live.terminal.cwd, cwd_source: "osc7" };
    }
    if (live?.foreground?.cwd !== undefined) {
      return { cwd: live.foreground.cwd, cwd_source: "procwatch" };
    }
  }
  return { cwd: record.cwd, cwd_source: "launch" };
}

/** The PTY generation a session runs in, as answers and events carry it. */
export function runtimeIdentityOf({ runtime }: SessionRecord): {
  worker_instance_id: SessionRecord["runtime"]["runtimeId"];
  runtime_generation: ReturnType<typeof decimal>;
} {
  return { worker_instance_id: runtime.runtimeId, runtime_generation: decimal(runtime.generation) };
}
