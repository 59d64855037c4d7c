/** The events of the public protocol. Their payloads are declared in ../messages/events.ts. */
export const EVENT_NAMES = [
  "session_created",
  "session_updated",
  "session_stopped",
  "session_removed",
  "session_runtime_reconnected",
  "session_runtime_lost",
  "session_runtime_conflict",
  "session_runtime_discovered",
  "session_native_recovered",
  "agent_state",
  "subagent_state",
  "attach_opened",
  "attach_closed",
  "notification_created",
  "notification_updated",
  "notification_deleted",
] as const;

export type EventName = (typeof EVENT_NAMES)[number];

export function isEventName(name: string): name is EventName {
  return (EVENT_NAMES as readonly string[]).includes(name);
}
