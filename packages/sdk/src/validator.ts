import type { EventName, MethodName } from "@pohunek/protocol/wire";

/**
 * Checks what a host sends against the declared messages. The core loads no schemas: pass `validateEverything` of
 * `@pohunek/sdk/validate` where a host is not trusted to keep to the protocol.
 */
export interface ResultValidator {
  /** Returns the result, or throws `json_error`. */
  result(method: MethodName, result: unknown): unknown;
  /** Returns the event's payload, or throws `json_error`. */
  event(name: EventName, payload: unknown): unknown;
}
