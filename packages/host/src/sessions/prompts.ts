import type { InputId } from "@pohunek/protocol/wire";
import { newInputId, protocolError } from "@pohunek/protocol/wire";
import type { Logger } from "../logs/logger.ts";
import type { InputReceipt } from "../store/input-receipts.ts";
import { settleAbandoned } from "./abandoned-input.ts";
import type { AgentOf } from "./agent-of.ts";
import { untilReady } from "./agent-ready.ts";
import { judgePrompt, standingOf } from "./agent-standing.ts";
import type { Changes } from "./changes.ts";
import { ComposerTidy } from "./composer-tidy.ts";
import type { Delivered } from "./input-delivery.ts";
import { submitHeld } from "./input-delivery.ts";
import { hasEnded } from "./lifecycle.ts";
import type { Course, PromptRequest } from "./prompt-course.ts";
import { CourseNotes, newReceipt } from "./prompt-course.ts";
import { answerOf, judgeFailure, toldFailure } from "./prompt-failure.ts";
import { planKey } from "./prompt-fate.ts";
import { runningWorker } from "./reachable-worker.ts";
import type { ReceiptBook } from "./receipt-book.ts";
import { keyOf } from "./receipt-book.ts";
import type { Session } from "./session.ts";
import type { SendOptions, SessionInputs } from "./session-inputs.ts";
import type { ReachStep } from "./steps.ts";

export interface PromptsOptions {
  readonly inputs: SessionInputs;
  readonly book: ReceiptBook;
  readonly agentOf: AgentOf;
  readonly changes: Changes;
  readonly timeoutMs: number;
  readonly reach: ReachStep;
  readonly log: Logger;
  readonly now: () => Date;
}

/** A queued prompt that says nothing else is dropped after this. */
const QUEUED_MS = 600_000;
/** An input that a dead daemon left is kept for its caller to ask again, longer than a client goes on trying. */
const ABANDONED_MS = 60_000;
/** The screen of an agent is judged in this time once its worker is reached. */
const UNKNOWN_MS = 2000;
/** Inputs of one session that wait at once. */
const MOST_WAITING = 64;

/** Inputs with a receipt: stored before anything is written, written once however often they are sent, and known afterwards. */
export class Prompts implements Disposable {
  readonly #options: PromptsOptions;
  readonly #running = new Map<string, Promise<InputReceipt>>();
  readonly #ending = new AbortController();
  readonly #notes: CourseNotes;

  constructor(options: PromptsOptions) {
    const { signal } = this.#ending;
    this.#options = options;
    this.#notes = new CourseNotes({ ...options, signal, tidy: new ComposerTidy({ ...options, signal }) });
  }

  /**
   * Types a text and gives its receipt, at once for one that is queued. Of two of one id the second writes nothing and gets
   * the answer of the first. Fails with the code that the receipt has.
   */
  async submit(session: Session, request: PromptRequest): Promise<InputReceipt> {
    const inputId = request.inputId ?? newInputId(this.#options.now().getTime());
    const digest = digestOf(request);
    const known = this.#options.book.find(session.id, inputId);
    if (known !== undefined && known.digest !== digest) {
      throw protocolError("session_input_id_reused");
    }
    const isPatient = request.when === "queue";
    const running = this.#running.get(keyOf({ sessionId: session.id, inputId }));
    if (running !== undefined && !isPatient) {
      return await running;
    }
    if (known !== undefined && (known.state !== "queued" || running !== undefined)) {
      return answerOf(known);
    }
    if (known === undefined && hasEnded(session.record)) {
      throw protocolError("session_not_running");
    }
    const course = {
      session,
      request,
      isPatient,
      receipt: known ?? this.#begin(session, { request, inputId, digest }),
    };
    const run = this.#start(course, known === undefined);
    return isPatient ? course.receipt : await run;
  }

  /** As a queued one, but `settled` tells what came of it. */
  submitFirst(session: Session, text: string): { readonly inputId: InputId; readonly settled: Promise<InputReceipt> } {
    const inputId = newInputId(this.#options.now().getTime());
    const request: PromptRequest = { text, kind: "initial", when: "queue" };
    const receipt = this.#begin(session, { request, inputId, digest: digestOf(request) });
    return { inputId, settled: this.#start({ session, request, receipt, isPatient: true }, true) };
  }

  /** Takes up what an earlier daemon left. `find` gives a session that is known. */
  recover(find: (id: string) => Session | undefined): void {
    const { book } = this.#options;
    for (const receipt of book.leftOver()) {
      const session = find(receipt.sessionId);
      if (session !== undefined && receipt.state !== "queued") {
        this.#notes.leave(session, receipt);
      }
    }
    for (const receipt of book.queued()) {
      const session = find(receipt.sessionId);
      if (session === undefined) {
        book.note(receipt, { state: "unknown", code: "session_not_found", text: undefined });
      } else if (receipt.text === undefined) {
        const isTaken = (): boolean => this.#running.has(keyOf(receipt));
        const course: Course = { session, request: { text: "" }, receipt, isPatient: false };
        void settleAbandoned(course, { ...this.#options, notes: this.#notes, signal: this.#ending.signal, isTaken });
      } else {
        const { text, kind, unpasted } = receipt;
        const request: PromptRequest = { text, kind, unpasted, when: "queue" };
        this.#start({ session, request, receipt, isPatient: true }, false).catch(ignoreTold);
      }
    }
  }

  #begin(
    session: Session,
    { request, inputId, digest }: { request: PromptRequest; inputId: InputId; digest: string },
  ): InputReceipt {
    if (this.#countRunning(session) >= MOST_WAITING) {
      throw protocolError("session_input_rejected", { message: "too many inputs of the session wait already" });
    }
    const { book, now, timeoutMs } = this.#options;
    const expiresInMs = request.when === "queue" ? (request.expiresMs ?? QUEUED_MS) : timeoutMs + ABANDONED_MS;
    const created = { inputId, digest, createdMs: now().getTime() };
    const receipt = book.begin(newReceipt(session, request, { ...created, expiresInMs }));
    this.#options.reach("input:queued");
    return receipt;
  }

  #countRunning({ id }: Session): number {
    return [...this.#running.keys()].filter((key) => key.startsWith(`${id}/`)).length;
  }

  #start(course: Course, isFresh: boolean): Promise<InputReceipt> {
    const key = keyOf(course.receipt);
    const { waiting } = course.session;
    const run = course.isPatient
      ? waiting.run(() => this.#carryPatiently(course, isFresh)).catch((cause: unknown) => this.#giveUp(course, cause))
      : this.#carry(course, isFresh);
    this.#running.set(key, run);
    const forget = (): void => void this.#running.delete(key);
    run.then(forget, forget);
    return run;
  }

  /** Nobody waits for a queued one, so its receipt must say how it ended: also when its package is gone. */
  #giveUp(course: Course, cause: unknown): never {
    if (!this.#ending.signal.aborted) {
      this.#notes.refuse(course, cause);
    }
    throw cause;
  }

  /** Waits for the right moment, as often as it takes. */
  async #carryPatiently(course: Course, isFresh: boolean): Promise<InputReceipt> {
    const fate = isFresh ? "again" : await this.#notes.askFate(course, this.#leftMs(course.receipt));
    if (fate === "over") {
      return answerOf(course.receipt);
    }
    for (let isHeld = fate === "held"; ; isHeld = false) {
      const refused = isHeld ? undefined : await this.#untilReady(course);
      if (refused !== undefined) {
        return answerOf(refused);
      }
      const before = course.receipt.attempt;
      try {
        return await this.#carry(course, !isHeld);
      } catch (cause) {
        // Its moment was over before it was submitted: it goes on waiting.
        if (course.receipt.state !== "queued" || course.receipt.attempt === before) {
          throw cause;
        }
      }
    }
  }

  /** The receipt of one whose moment never came. */
  async #untilReady(course: Course): Promise<InputReceipt | undefined> {
    const { session, receipt } = course;
    const { book, changes, agentOf } = this.#options;
    const { signal } = this.#ending;
    const agent = agentOf(session);
    if (agent === undefined) {
      return undefined;
    }
    const isFirst = receipt.kind === "initial";
    const ready = await untilReady(session, { agent, changes, signal, timeoutMs: this.#leftMs(receipt), isFirst });
    signal.throwIfAborted();
    switch (ready) {
      case "ready":
        return undefined;
      case "late":
        course.receipt = book.note(receipt, { state: "expired", text: undefined });
        return course.receipt;
      case "ended":
        course.receipt = book.note(receipt, { state: "refused", code: "session_not_running", text: undefined });
        return course.receipt;
    }
  }

  #leftMs({ expiresMs }: InputReceipt): number {
    return Math.max(0, expiresMs - this.#options.now().getTime());
  }

  /** Writes it, asking the worker first what came of an earlier try, and again when the worker is lost on the way. */
  async #carry(course: Course, isFresh: boolean): Promise<InputReceipt> {
    const { session } = course;
    const endsAt = performance.now() + this.#options.timeoutMs;
    for (let mustAsk = !isFresh; ; mustAsk = true) {
      const fate = mustAsk ? await this.#notes.askFate(course, Math.max(1, endsAt - performance.now())) : "again";
      if (fate === "over") {
        return answerOf(course.receipt);
      }
      try {
        return await this.#attempt(course, fate === "held");
      } catch (cause) {
        const { kind } = judgeFailure(cause);
        this.#ending.signal.throwIfAborted();
        const isOver = kind === "over" || course.receipt.state !== "queued" || session.link === undefined;
        if (isOver || performance.now() > endsAt) {
          throw toldFailure(cause);
        }
      }
    }
  }

  async #attempt(course: Course, isHeld: boolean): Promise<InputReceipt> {
    const { session, request, receipt } = course;
    const noted = Promise.withResolvers<void>();
    const options: SendOptions = {
      key: planKey(receipt),
      onHeld: () => this.#options.reach("input:held"),
      ...(isHeld ? { write: (_session, delivery) => this.#submitHeld(session, delivery) } : {}),
      onSettled: (turn) => {
        void turn
          .then(
            (delivered) => this.#notes.written(course, delivered),
            (cause: unknown) => this.#notes.failed(course, cause),
          )
          .then(noted.resolve, noted.reject);
      },
    };
    try {
      await this.#admit(course, isHeld);
      await this.#options.inputs.send(session, request, options);
    } catch (cause) {
      // Before the answer; the turn itself may still wait behind another.
      this.#notes.failed(course, cause);
      throw cause;
    }
    await noted.promise;
    return course.receipt;
  }

  /** Refuses what would be refused when its turn comes. An agent that was met a moment ago is not known yet. */
  async #admit({ session, request }: Course, isHeld: boolean): Promise<void> {
    const { agentOf, changes } = this.#options;
    const agent = agentOf(session);
    if (agent === undefined || request.isForced || request.answer !== undefined) {
      return;
    }
    const isKnown = (): true | undefined => (standingOf(session) === "unclear" ? undefined : true);
    const timeoutMs = agent.detection.rules.length === 0 ? 0 : UNKNOWN_MS;
    await changes.until(session.id, isKnown, { timeoutMs, signal: this.#ending.signal });
    if (!isHeld) {
      judgePrompt(session, agent, request);
    }
  }

  async #submitHeld(session: Session, delivery: Parameters<typeof submitHeld>[1]): Promise<Delivered> {
    delivery.isSent = true;
    delivery.sent.resolve();
    return await submitHeld(session, delivery, { worker: runningWorker(session) });
  }

  [Symbol.dispose](): void {
    this.#ending.abort(protocolError("daemon_shutting_down"));
  }
}

/** Two texts of one id must be the same. */
function digestOf({ text, kind = "prompt" }: PromptRequest): string {
  return new Bun.CryptoHasher("sha256").update(`${kind}\0${text}`).digest("base64");
}

/** The receipt holds the failure, and nobody waits for it here. */
function ignoreTold(): void {}
