import type { AgentActivity, DaemonId, Decimal, StateSource } from "@pohunek/protocol/wire";
import { decimal, encodeUtf8, protocolError } from "@pohunek/protocol/wire";
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

/** Types texts into sessions: each is one plan of a body and the key that submits it, and plans are never mixed. */
export class SessionInputs {
  readonly #changes: Changes;
  readonly #epoch: DaemonId;

  constructor(options: { changes: Changes; epoch: DaemonId }) {
    this.#changes = options.changes;
    this.#epoch = options.epoch;
  }

  /** Fails with worker_write_outcome_unknown when it can't be told whether the text arrived. */
  async send(session: Session, text: string): Promise<void> {
    await session.input.run(async () => {
      await this.#write(session, text);
    });
  }

  /** Sends, then waits for an activity that began after that. One deadline counts for all of it. */
  async sendAndWait(session: Session, text: string, wait: InputWait): Promise<InputEvidence> {
    const deadline = performance.now() + wait.timeoutMs;
    const signal = AbortSignal.timeout(wait.timeoutMs);
    const boundary = await session.input.run(async () => {
      if (signal.aborted) {
        throw protocolError("session_input_timeout", {
          message: "the input's turn did not come in time; nothing was written",
        });
      }
      const before = session.activity?.current?.revision ?? 0;
      await this.#write(session, text, signal);
      return before;
    });
    const { runtimeId } = session.record.runtime;
    const look = (): InputEvidence | undefined => this.#evidence(session, { wait, boundary, runtimeId });
    const timeoutMs = Math.max(0, deadline - performance.now());
    const evidence = await this.#changes.until(session.id, look, { timeoutMs });
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
    return { activity, source, epoch: this.#epoch, revision: decimal(revision) };
  }

  async #write(session: Session, text: string, signal?: AbortSignal): Promise<void> {
    const client = runningWorker(session);
    const reservation = await client.reserveWrite(signal === undefined ? {} : { signal });
    using _reservation = reservation;
    session.activity?.submitted();
    await reservation.send(planOf(text, session.live?.terminal?.bracketed_paste === true));
  }
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
