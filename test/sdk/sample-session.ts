import type { SessionInfoReply } from "@pohunek/protocol";

/** A session as a host writes it. */
export function sampleSession(changes: Partial<SessionInfoReply> = {}): SessionInfoReply {
  return {
    id: "s-1",
    capabilities: { resume: false, fork: false },
    agent: "shell",
    agent_base: "shell",
    cwd: "/",
    pid: 7,
    cols: 80,
    rows: 24,
    state: "running",
    state_source: "process",
    created_at: "2026-08-01T10:00:00Z",
    updated_at: "2026-08-01T10:00:00Z",
    ...changes,
  };
}
