import type { ErrorCode, InputState } from "@pohunek/protocol/wire";
import { isProtocolError, protocolError } from "@pohunek/protocol/wire";
import type { InputReceipt } from "../store/input-receipts.ts";
import { LeftOver } from "./input-delivery.ts";

/**
 * What a failed delivery means for its receipt. `lost`: the worker has to be asked once it is reached again. `again`: it was
 * typed, and the worker gave it up because nobody submitted it in time; nothing is against another try.
 */
export type PromptFailure =
  | { readonly kind: "lost" | "again" }
  | {
      readonly kind: "over";
      readonly state: Extract<InputState, "refused" | "unknown">;
      readonly code: string;
      readonly isLeftOver: boolean;
    };

const UNREACHED: readonly ErrorCode[] = ["worker_connect_failed", "session_runtime_reconnecting"];
/** A later moment may be the right one: nothing is wrong with the text. */
const MOMENTARY: readonly string[] = ["session_agent_blocked", "session_agent_working", "session_agent_not_ready"];

export function judgeFailure(cause: unknown): PromptFailure {
  const isLeftOver = cause instanceof LeftOver;
  const error = isLeftOver ? cause.cause : cause;
  if (!isProtocolError(error)) {
    return { kind: "over", state: "unknown", code: "internal_error", isLeftOver };
  }
  if (UNREACHED.some((code) => code === error.code)) {
    return { kind: "lost" };
  }
  if (isLeftOver && error.code === "session_input_blocked") {
    return { kind: "again" };
  }
  if (error.code === "worker_write_outcome_unknown") {
    // The worker itself says so with what it knows; a broken connection says nothing.
    const isWorkersWord = error.details !== undefined;
    return isWorkersWord ? { kind: "over", state: "unknown", code: error.code, isLeftOver } : { kind: "lost" };
  }
  const hasPart = error.code === "session_input_incomplete";
  return { kind: "over", state: "refused", code: error.code, isLeftOver: isLeftOver || hasPart };
}

export function isMomentary(failure: PromptFailure): boolean {
  return failure.kind === "over" && MOMENTARY.includes(failure.code);
}

/** The failure as its caller is told. */
export function toldFailure(cause: unknown): unknown {
  if (!(cause instanceof LeftOver) || !isProtocolError(cause.cause)) {
    return cause;
  }
  const { code, details } = cause.cause;
  const message = `${cause.cause.message} It was typed, but not submitted.`;
  return protocolError(code as ErrorCode, { message, details, cause });
}

/** The same answer as the first time. */
export function answerOf(receipt: InputReceipt): InputReceipt {
  switch (receipt.state) {
    case "refused":
      throw protocolError((receipt.code ?? "session_input_rejected") as ErrorCode);
    case "expired":
      throw protocolError("session_input_expired");
    case "unknown":
      throw protocolError("worker_write_outcome_unknown");
    case "queued":
    case "written":
    case "echoed":
    case "turn_started":
      return receipt;
  }
}
