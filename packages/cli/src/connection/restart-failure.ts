import type { ProtocolError } from "@pohunek/protocol/wire";

/** True for failures that a restart of the daemon explains: what was tried may be tried again. */
export function isRestartFailure(error: ProtocolError): boolean {
  return error.isRetryable || error.class === "transport";
}
