import type { ParsedParamsOf } from "@pohunek/protocol";
import { LIMITS, protocolError } from "@pohunek/protocol/wire";
import { runtimeIdentityOf } from "../../sessions/session-info.ts";
import type { InputReceipt } from "../../store/input-receipts.ts";
import type { Handlers } from "../dispatcher.ts";
import type { SessionCore } from "../session-core.ts";
import type { Waiters } from "../waiters.ts";

export interface InputMethodsOptions {
  readonly core: Pick<SessionCore, "registry" | "changes" | "inputs" | "prompts" | "book" | "agentOf">;
  readonly waiters: Waiters;
}

type InputMethods = Pick<Handlers, "session.input" | "session.answer" | "session.input_status">;

/** Receipts in one answer when the caller names no number. */
const LISTED = 50;

/** Typing text into a session and submitting it, and what came of that. */
export function inputMethods(options: InputMethodsOptions): InputMethods {
  const { registry, inputs, prompts, book, agentOf } = options.core;
  return {
    "session.input": async (params) => {
      const session = registry.get(params.session_id);
      const { text, wait, input_id: inputId, when, unpasted, force: isForced, expires_ms: expiresMs } = params;
      const typed = { text, when, unpasted, isForced };
      if (wait !== undefined) {
        refuseWait(params);
        const evidence = await inputs.sendAndWait(session, typed, { until: wait.until, timeoutMs: wait.timeout_ms });
        return {
          accepted: true,
          activity: evidence.activity,
          activity_source: evidence.source,
          runtime: runtimeIdentityOf(session.record),
          activity_epoch: evidence.epoch,
          activity_revision: evidence.revision,
        };
      }
      if (inputId === undefined && agentOf(session) === undefined) {
        await inputs.send(session, typed);
        return { accepted: true };
      }
      const receipt = await prompts.submit(session, { ...typed, inputId, expiresMs });
      return { accepted: true, receipt: book.describe(receipt) };
    },
    "session.answer": async ({ session_id, revision, choice, input_id: inputId }) => {
      const session = registry.get(session_id);
      const answer = { revision, choice };
      // The text tells one answer from another; only the keys that it means are typed.
      const request = { kind: "answer", text: `${revision} ${choice}`, answer, inputId } as const;
      return { accepted: true, receipt: book.describe(await prompts.submit(session, request)) };
    },
    "session.input_status": async (params, { signal }) => {
      const { session_id: sessionId, input_id: inputId, limit = LISTED } = params;
      if (inputId === undefined) {
        if (params.wait_ms !== undefined) {
          throw protocolError("bad_request", { message: "a wait needs the input that it is for" });
        }
        if (sessionId !== undefined) {
          registry.get(sessionId);
        }
        const most = Math.min(limit, LIMITS.inputReceipts);
        return { receipts: book.list(sessionId, most).map((receipt) => book.describe(receipt)) };
      }
      return { receipts: [book.describe(await awaitReceipt(options, params, signal))] };
    },
  };
}

/** A wait has its evidence in its own answer, and is never queued. */
function refuseWait({ input_id: inputId, when }: ParsedParamsOf<"session.input">): void {
  if (inputId !== undefined || when === "queue") {
    throw protocolError("session_input_wait_unsupported", {
      message: "an input with an id or in the queue is waited for by session.input_status",
    });
  }
}

async function awaitReceipt(
  { core: { registry, book, changes }, waiters }: InputMethodsOptions,
  params: ParsedParamsOf<"session.input_status">,
  signal: AbortSignal,
): Promise<InputReceipt> {
  const { session_id: sessionId, input_id: inputId, until = [], wait_ms: timeoutMs } = params;
  if (sessionId === undefined || inputId === undefined) {
    throw protocolError("bad_request", { message: "an input id needs its session" });
  }
  registry.get(sessionId);
  const find = (): InputReceipt => {
    const receipt = book.find(sessionId, inputId);
    if (receipt === undefined) {
      throw protocolError("session_input_not_found");
    }
    return receipt;
  };
  if (timeoutMs === undefined) {
    return find();
  }
  using _slot = waiters.take(sessionId);
  const look = (): InputReceipt | undefined => {
    const receipt = find();
    return until.includes(receipt.state) || book.isFinal(receipt) ? receipt : undefined;
  };
  return (await changes.until(sessionId, look, { timeoutMs, signal })) ?? find();
}
