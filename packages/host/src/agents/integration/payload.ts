import type { HookMessage, HookPayload } from "./hook-handler.ts";

const TEXT_LENGTH = 4096;

/** A member that is a text of a length that a name may have; anything else counts as absent. */
export function textOf(payload: HookPayload, ...names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = payload[name];
    if (typeof value === "string" && value !== "" && value.length <= TEXT_LENGTH && !value.includes("\0")) {
      return value;
    }
  }
  return undefined;
}

/** The conversation that a payload belongs to. */
export function conversationOf(payload: HookPayload): readonly HookMessage[] {
  const id = textOf(payload, "session_id");
  const path = textOf(payload, "transcript_path");
  return id === undefined && path === undefined ? [] : [{ type: "identity_report", id, path }];
}

/** Agents that name their sub-agents `agent_id` and `agent_type`. */
export function subagentStart(payload: HookPayload): readonly HookMessage[] {
  const id = textOf(payload, "agent_id");
  const message = {
    type: "subagent_start",
    parent_id: textOf(payload, "parent_agent_id"),
    agent_type: textOf(payload, "agent_type"),
  } as const;
  return id === undefined ? [] : [{ ...message, subagent_id: id }];
}

export function subagentStop(payload: HookPayload): readonly HookMessage[] {
  const id = textOf(payload, "agent_id");
  return id === undefined
    ? []
    : [{ type: "subagent_stop", subagent_id: id, agent_type: textOf(payload, "agent_type") }];
}
