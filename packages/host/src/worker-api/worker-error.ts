import type { ErrorCode } from "@pohunek/protocol/wire";
import { ProtocolError, protocolError } from "@pohunek/protocol/wire";

/**
 * Codes that travel between worker and daemon. They are public codes, so a daemon passes them on as they are; messages
 * and details hold facts, never terminal content, argv or environment.
 */
export const WORKER_ERROR_CODES = [
  "worker_protocol_incompatible",
  "worker_controller_busy",
  "worker_identity_mismatch",
  "worker_invalid_state",
  "worker_invalid_request",
  "worker_invalid_data_token",
  "worker_write_outcome_unknown",
  "worker_runtime_fault",
  "worker_feature_unavailable",
  "worker_connect_failed",
  "worker_exited_before_ready",
  "worker_socket_path_invalid",
  "worker_attach_stream_failed",
  "session_input_rejected",
  "session_input_blocked",
  "session_input_incomplete",
  "session_output_limit_exceeded",
  "session_waiter_limit_reached",
  "pty_alloc_failed",
  "spawn_failed",
  "pty_error",
  "io_error",
] as const satisfies readonly ErrorCode[];

export type WorkerErrorCode = (typeof WORKER_ERROR_CODES)[number];

export interface WorkerErrorOptions {
  readonly details?: Readonly<Record<string, string | number | boolean>>;
  readonly cause?: unknown;
}

export function workerError(
  code: WorkerErrorCode,
  message: string,
  options: WorkerErrorOptions = {},
): ProtocolError<WorkerErrorCode> {
  return new ProtocolError(code, { message, ...options });
}

/** What is told of a worker that lives and says nothing. Never on the worker's own wire. */
export function workerSilent(cause?: unknown): ProtocolError {
  return protocolError("session_runtime_reconnecting", {
    message: "The session's worker does not answer.",
    recover: "It comes back by itself if it can; pohunek stop ends the session without it.",
    cause,
  });
}

/** A failure on the wire. */
export interface WorkerErrorBody {
  readonly code: string;
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

export function errorBody(error: ProtocolError): WorkerErrorBody {
  const { code, message, details } = error;
  return details === undefined ? { code, message } : { code, message, details };
}

/** The failure that the other side sent; what is not an error shape becomes worker_runtime_fault. */
export function errorFromBody(value: unknown): ProtocolError {
  const body = typeof value === "object" && value !== null ? (value as Partial<WorkerErrorBody>) : {};
  if (typeof body.code !== "string" || typeof body.message !== "string") {
    return workerError("worker_runtime_fault", "The worker sent a malformed failure.");
  }
  const details = typeof body.details === "object" && body.details !== null ? body.details : undefined;
  return new ProtocolError(body.code, { message: body.message, ...(details ? { details } : {}) });
}
