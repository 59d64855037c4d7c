import type { SessionId, WorkerId } from "@pohunek/protocol/wire";

const WORKERS = "workers";

/** `<runtime-root>/workers/<session-id>`; the directory is 0700. */
export function workerRuntimeDir(runtimeRoot: string, sessionId: SessionId): string {
  return `${runtimeRoot}/${WORKERS}/${sessionId}`;
}

export function workerSocketPath(runtimeRoot: string, sessionId: SessionId): string {
  return `${workerRuntimeDir(runtimeRoot, sessionId)}/control.sock`;
}

/** `<state-root>/workers`: one folder a session, one journal a worker. */
export function journalRoot(stateRoot: string): string {
  return `${stateRoot}/${WORKERS}`;
}

export function journalDir(stateRoot: string, sessionId: SessionId): string {
  return `${journalRoot(stateRoot)}/${sessionId}`;
}

export function journalPath(stateRoot: string, worker: { sessionId: SessionId; workerId: WorkerId }): string {
  return `${journalDir(stateRoot, worker.sessionId)}/${worker.workerId}.json`;
}

/** `<state-root>/logs`. */
export function logDir(stateRoot: string): string {
  return `${stateRoot}/logs`;
}
