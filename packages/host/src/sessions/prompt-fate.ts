import { protocolError } from "@pohunek/protocol/wire";
import type { InputReceipt } from "../store/input-receipts.ts";
import type { WorkerClient } from "../worker-api/client.ts";
import type { PlanOutcome } from "../worker-api/operations.ts";
import { KEYED_PLANS_SINCE } from "../worker-api/version.ts";
import type { Changes } from "./changes.ts";
import { reachableWorker } from "./reachable-worker.ts";
import type { Session } from "./session.ts";

/**
 * What the session's worker knows of an input whose outcome was not stored. `again`: nothing of it is submitted, so it may be
 * written; `withPart` when the body was. `held`: it waits at the worker for its submission.
 */
export type Fate =
  | { readonly kind: "written"; readonly writtenMs?: number; readonly outputOffset?: number }
  | { readonly kind: "held" }
  | { readonly kind: "again"; readonly withPart: boolean }
  | { readonly kind: "failed"; readonly code: string; readonly withPart: boolean }
  | { readonly kind: "unknown" };

/** A worker that is writing is asked again after this. */
const WRITING_MS = 50;

export interface FateQuestion {
  readonly changes: Changes;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

export function planKey({ inputId, attempt }: Pick<InputReceipt, "inputId" | "attempt">): string {
  return `${inputId}/${attempt}`;
}

/** Asks the worker, also when it has to be waited for. Fails with session_runtime_reconnecting when it does not come in time. */
export async function askFate(session: Session, receipt: InputReceipt, question: FateQuestion): Promise<Fate> {
  const worker = await connectedWorker(session, question);
  const isSame = session.record.runtime.runtimeId === receipt.runtimeId;
  if (worker === undefined || !isSame || worker.version < KEYED_PLANS_SINCE) {
    return { kind: "unknown" };
  }
  for (;;) {
    const outcome = await worker.planOutcome(planKey(receipt));
    if (outcome.state !== "writing") {
      return fateOf(outcome, receipt);
    }
    question.signal.throwIfAborted();
    await Bun.sleep(WRITING_MS);
  }
}

function fateOf(outcome: PlanOutcome, receipt: InputReceipt): Fate {
  switch (outcome.state) {
    case "written":
      return { kind: "written", writtenMs: outcome.written_at_ms, outputOffset: outcome.output_offset };
    case "held":
    case "writing":
      return { kind: "held" };
    case "withdrawn":
      return { kind: "again", withPart: true };
    case "never":
      return receipt.createdMs >= outcome.remembered_since_ms
        ? { kind: "again", withPart: false }
        : { kind: "unknown" };
    case "failed":
      return failedFate(outcome);
  }
}

function failedFate({ code = "worker_runtime_fault", written_bytes: writtenBytes }: PlanOutcome): Fate {
  if (code === "worker_write_outcome_unknown") {
    return { kind: "unknown" };
  }
  return { kind: "failed", code, withPart: writtenBytes !== undefined && writtenBytes > 0 };
}

/** The worker, once it is connected; undefined when there is none any more. */
async function connectedWorker(session: Session, question: FateQuestion): Promise<WorkerClient | undefined> {
  const look = (): { worker?: WorkerClient } | undefined => {
    if (session.link?.isConnected) {
      return { worker: reachableWorker(session) };
    }
    return session.link === undefined || session.link.isOver ? {} : undefined;
  };
  const found = await question.changes.until(session.id, look, question);
  if (found === undefined) {
    throw protocolError("session_runtime_reconnecting");
  }
  return found.worker;
}
