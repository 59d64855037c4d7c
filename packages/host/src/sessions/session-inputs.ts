import type { AgentActivity, DaemonId, Decimal, StateSource } from "@pohunek/protocol/wire";
import { decimal, encodeUtf8, protocolError } from "@pohunek/protocol/wire";
import { settlesWithin } from "../worker-api/within.ts";
import type { WriteFragment } from "../worker-api/write-reservations.ts";
import type { Changes } from "./changes.ts";
import { hasEnded } from "./lifecycle.ts";
import { runningWorker } from "./reachable-worker.ts";
import type { Session } from "./session.ts";

/** The activity that followed an input. */
export interface InputEvidence {
  readonly activity: AgentActivity;
  readonly source: StateSource;
  readonly epoch: DaemonId;
  readonly revision: Decimal;
}

export interface InputWait {
  readonly until: readonly AgentActivity[];
  readonly timeoutMs: number;
}

const PASTE_BEGIN = "\x1b[200~";
const PASTE_END = "\x1b[201~";
const SUBMIT = encodeUtf8("\r");

/** The worker keeps the time; its answer gets this much longer before nobody knows what came of the input. */
const ANSWER_MS = 2000;

/** One text on its way. Either it is withdrawn before a byte was sent, or it is sent and can't be withdrawn any more. */
interface Delivery {
  readonly text: string;
  readonly endsAt: number;
  readonly withdrawal: AbortController;
  readonly sent: PromiseWithResolvers<void>;
  isSent: boolean;
}

export interface SessionInputsOptions {
  readonly changes: Changes;
  readonly epoch: DaemonId;
  /** Time for one input, the wait for its turn included. */
  readonly timeoutMs: number;
}

/** Types texts into sessions: each is one plan of a body and the key that submits it, and plans are never mixed. */
export class SessionInputs {
  readonly #options: SessionInputsOptions;

  constructor(options: SessionInputsOptions) {
    this.#options = options;
  }

  /**
   * Fails with session_input_blocked when the program took nothing of it in time, session_input_incomplete when it took a
   * part, and worker_write_outcome_unknown when it can't be told. Nothing of it is written after the answer.
   */
  async send(session: Session, text: string): Promise<void> {
    await this.#deliver(session, text, this.#options.timeoutMs);
  }

  /** Sends, then waits for an activity that began after that. One deadline counts for all of it. */
  async sendAndWait(session: Session, text: string, wait: InputWait): Promise<InputEvidence> {
    const deadline = performance.now() + wait.timeoutMs;
    const boundary = await this.#deliver(session, text, Math.min(wait.timeoutMs, this.#options.timeoutMs));
    const { runtimeId } = session.record.runtime;
    const look = (): InputEvidence | undefined => this.#evidence(session, { wait, boundary, runtimeId });
    const timeoutMs = Math.max(0, deadline - performance.now());
    const evidence = await this.#options.changes.until(session.id, look, { timeoutMs });
    if (evidence === undefined) {
      throw protocolError("session_input_timeout");
    }
    return evidence;
  }

  #evidence(
    session: Session,
    from: { wait: InputWait; boundary: number; runtimeId: string },
  ): InputEvidence | undefined {
    if (session.record.runtime.runtimeId !== from.runtimeId) {
      throw protocolError("session_runtime_changed");
    }
    if (hasEnded(session.record)) {
      throw protocolError("session_not_running");
    }
    const current = session.activity?.current;
    if (current === undefined || current.revision <= from.boundary || !from.wait.until.includes(current.activity)) {
      return undefined;
    }
    const { activity, source, revision } = current;
    return { activity, source, epoch: this.#options.epoch, revision: decimal(revision) };
  }

  /** Writes the text when its turn comes, and gives the revision of the activity before that. */
  async #deliver(session: Session, text: string, timeoutMs: number): Promise<number> {
    const endsAt = performance.now() + timeoutMs;
    const sent = Promise.withResolvers<void>();
    const delivery: Delivery = { text, endsAt, withdrawal: new AbortController(), sent, isSent: false };
    const turn = session.input.run(() => write(session, delivery));
    await settlesWithin(Promise.race([turn, sent.promise]), timeoutMs);
    if (!delivery.isSent) {
      // From here on it never will be. A turn that came and failed tells why; one that has not come tells nothing.
      delivery.withdrawal.abort(withdrawn());
    }
    if (await settlesWithin(turn, delivery.isSent ? endsAt - performance.now() + ANSWER_MS : 0)) {
      return await turn;
    }
    delivery.withdrawal.signal.throwIfAborted();
    // The turn stays taken until the worker's late answer: nothing may be written in between.
    throw protocolError("worker_write_outcome_unknown", { message: "the session's worker does not say what it wrote" });
  }
}

async function write(session: Session, delivery: Delivery): Promise<number> {
  const { signal } = delivery.withdrawal;
  signal.throwIfAborted();
  using reservation = await runningWorker(session).reserveWrite({ signal });
  signal.throwIfAborted();
  const leftMs = Math.max(1, Math.round(delivery.endsAt - performance.now()));
  const before = session.activity?.current?.revision ?? 0;
  session.activity?.submitted();
  const plan = planOf(delivery.text, session.live?.terminal?.bracketed_paste === true);
  delivery.isSent = true;
  delivery.sent.resolve();
  await reservation.send(plan, { timeoutMs: leftMs });
  return before;
}

function withdrawn(): Error {
  return protocolError("session_input_blocked", {
    message: "another input of the session takes all the time; nothing of this one was written",
  });
}

/**
 * A shell that asked for bracketed paste gets several lines as one paste, so that they are run together; else the text
 * goes as it is. A text with escape sequences of its own could end the paste early, so it is never wrapped.
 */
function planOf(text: string, takesPaste: boolean): WriteFragment[] {
  const isPaste = takesPaste && text.includes("\n") && !text.includes("\x1b");
  const body = encodeUtf8(isPaste ? `${PASTE_BEGIN}${text}${PASTE_END}` : text);
  return body.length === 0 ? [{ data: SUBMIT }] : [{ data: body }, { data: SUBMIT }];
}
