import type { AgentActivity, DaemonId, Decimal, StateSource } from "@pohunek/protocol/wire";
import { decimal, protocolError } from "@pohunek/protocol/wire";
import { settlesWithin } from "../worker-api/within.ts";
import type { AgentOf } from "./agent-of.ts";
import { judgePrompt } from "./agent-standing.ts";
import type { Changes } from "./changes.ts";
import type { Delivered, Delivery, Typed } from "./input-delivery.ts";
import { deliver } from "./input-delivery.ts";
import { hasEnded } from "./lifecycle.ts";
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

/** The worker keeps the time; its answer gets this much longer before nobody knows what came of the input. */
const ANSWER_MS = 2000;

export interface SessionInputsOptions {
  readonly changes: Changes;
  readonly epoch: DaemonId;
  readonly agentOf: AgentOf;
  /** Time for one input, the wait for its turn included. */
  readonly timeoutMs: number;
}

export interface SendOptions {
  readonly timeoutMs?: number;
  /** Names the plan at the worker. */
  readonly key?: string;
  readonly onBoundary?: (revision: number) => void;
  readonly onHeld?: () => void;
  /** In place of the usual way, for a plan that the worker holds already. */
  readonly write?: typeof deliver;
  /** What came of it, also when that is known only after the answer. */
  readonly onSettled?: (turn: Promise<Delivered>) => void;
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
  async send(session: Session, typed: Typed, options: SendOptions = {}): Promise<Delivered> {
    const { key, onBoundary, onHeld, timeoutMs = this.#options.timeoutMs } = options;
    const agent = this.#options.agentOf(session);
    const sent = Promise.withResolvers<void>();
    const delivery: Delivery = {
      typed,
      agent,
      key,
      onBoundary,
      onHeld,
      endsAt: performance.now() + timeoutMs,
      withdrawal: new AbortController(),
      sent,
      isSent: false,
    };
    const turn = session.input.run(() => (options.write ?? deliver)(session, delivery));
    options.onSettled?.(turn);
    const silenceMs = agent?.input.submitDelayMs ?? 0;
    await settlesWithin(Promise.race([turn, sent.promise]), timeoutMs);
    if (!delivery.isSent) {
      // From here on it never will be. A turn that came and failed tells why; one that has not come tells nothing.
      delivery.withdrawal.abort(withdrawn());
    }
    const leftMs = delivery.isSent ? delivery.endsAt - performance.now() + silenceMs + ANSWER_MS : 0;
    if (await settlesWithin(turn, leftMs)) {
      return await turn;
    }
    delivery.withdrawal.signal.throwIfAborted();
    // The turn stays taken until the worker's late answer: nothing may be written in between.
    throw protocolError("worker_write_outcome_unknown", { message: "the session's worker does not say what it wrote" });
  }

  /** Sends, then waits for an activity that began after that. One deadline counts for all of it. */
  async sendAndWait(session: Session, typed: Typed, wait: InputWait & SendOptions): Promise<InputEvidence> {
    const deadline = performance.now() + wait.timeoutMs;
    const agent = this.#options.agentOf(session);
    if (agent !== undefined) {
      if (agent.input.submitDelayMs > 0) {
        throw protocolError("session_input_wait_unsupported");
      }
      judgePrompt(session, agent, typed);
    }
    using evidence = new EvidenceWatch(session, { ...this.#options, until: wait.until, deadline });
    await this.send(session, typed, {
      ...wait,
      timeoutMs: Math.min(wait.timeoutMs, this.#options.timeoutMs),
      onBoundary: (revision) => evidence.begin(revision),
    });
    const timeoutMs = Math.max(0, deadline - performance.now());
    const found = await this.#options.changes.until(session.id, () => evidence.found(), { timeoutMs });
    if (found === undefined) {
      throw protocolError("session_input_timeout");
    }
    return found;
  }
}

interface EvidenceOptions {
  readonly changes: Changes;
  readonly epoch: DaemonId;
  readonly until: readonly AgentActivity[];
  readonly deadline: number;
}

/** Keeps the first activity that counts, from the moment of the submission on: a later one does not erase it. */
class EvidenceWatch implements Disposable {
  readonly #session: Session;
  readonly #options: EvidenceOptions;
  readonly #listening: Disposable;
  readonly #runtimeId: string;
  #boundary: number | undefined;
  #found: InputEvidence | undefined;

  constructor(session: Session, options: EvidenceOptions) {
    this.#session = session;
    this.#options = options;
    this.#runtimeId = session.record.runtime.runtimeId;
    this.#listening = options.changes.listen(session.id, () => this.#look());
  }

  begin(revision: number): void {
    this.#boundary = revision;
  }

  /** Fails when the session's program has ended or is another one. */
  found(): InputEvidence | undefined {
    this.#look();
    if (this.#found !== undefined) {
      return this.#found;
    }
    const { record } = this.#session;
    if (record.runtime.runtimeId !== this.#runtimeId) {
      throw protocolError("session_runtime_changed");
    }
    if (hasEnded(record)) {
      throw protocolError("session_not_running");
    }
    return undefined;
  }

  #look(): void {
    const current = this.#session.activity?.current;
    const { until, deadline, epoch } = this.#options;
    if (this.#found !== undefined || this.#boundary === undefined || current === undefined) {
      return;
    }
    const isSame = this.#session.record.runtime.runtimeId === this.#runtimeId;
    const { activity, source, revision } = current;
    const isWanted = activity !== undefined && until.includes(activity) && revision > this.#boundary;
    if (isSame && isWanted && performance.now() <= deadline) {
      this.#found = { activity, source, epoch, revision: decimal(revision) };
    }
  }

  [Symbol.dispose](): void {
    this.#listening[Symbol.dispose]();
  }
}

function withdrawn(): Error {
  return protocolError("session_input_blocked", {
    message: "another input of the session takes all the time; nothing of this one was written",
  });
}
