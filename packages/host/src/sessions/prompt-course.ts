import type { InputId, InputKind } from "@pohunek/protocol/wire";
import { encodeUtf8 } from "@pohunek/protocol/wire";
import type { InputReceipt } from "../store/input-receipts.ts";
import type { AgentOf } from "./agent-of.ts";
import { watchAnswer } from "./answer-watch.ts";
import type { Changes } from "./changes.ts";
import type { ComposerTidy } from "./composer-tidy.ts";
import type { Delivered, Typed } from "./input-delivery.ts";
import { isMomentary, judgeFailure } from "./prompt-failure.ts";
import { askFate } from "./prompt-fate.ts";
import type { ReceiptBook } from "./receipt-book.ts";
import type { Session } from "./session.ts";
import type { ReachStep } from "./steps.ts";
import { watchTurn } from "./turn-watch.ts";

export interface PromptRequest extends Typed {
  readonly kind?: InputKind;
  /** Chosen by the caller, who may ask again with the same. */
  readonly inputId?: InputId;
  /** Of one that is queued. */
  readonly expiresMs?: number;
}

/** One input under way: what is to be typed, and what is stored of it. */
export interface Course {
  readonly session: Session;
  readonly request: PromptRequest;
  receipt: InputReceipt;
  /** Kept until the agent is ready, instead of being refused. */
  readonly isPatient: boolean;
}

interface Created extends Pick<InputReceipt, "inputId" | "digest" | "createdMs"> {
  readonly expiresInMs: number;
}

/** Of an input of which nothing was done yet. Its text is kept only if nobody waits for its answer. */
export function newReceipt({ id, record }: Session, request: PromptRequest, created: Created): InputReceipt {
  const { expiresInMs, ...identity } = created;
  const { text, unpasted, kind = "prompt" } = request;
  return {
    ...identity,
    sessionId: id,
    kind,
    bytes: encodeUtf8(text).length,
    state: "queued",
    attempt: 1,
    ...(request.when === "queue" ? { text, unpasted } : {}),
    isLeftOver: false,
    runtimeId: record.runtime.runtimeId,
    updatedMs: created.createdMs,
    expiresMs: created.createdMs + expiresInMs,
  };
}

export interface CourseNotesOptions {
  readonly book: ReceiptBook;
  readonly agentOf: AgentOf;
  readonly changes: Changes;
  readonly tidy: ComposerTidy;
  readonly signal: AbortSignal;
  readonly reach: ReachStep;
}

/** Writes down what has become of an input. */
export class CourseNotes {
  readonly #options: CourseNotesOptions;

  constructor(options: CourseNotesOptions) {
    this.#options = options;
  }

  written(course: Course, delivered: Delivered): void {
    const { session } = course;
    const { book, changes, reach, agentOf } = this.#options;
    reach("input:written");
    course.receipt = book.note(course.receipt, {
      state: delivered.isEchoed ? "echoed" : "written",
      code: undefined,
      text: undefined,
      midTurn: delivered.midTurn,
      isLeftOver: false,
      writtenMs: delivered.writtenMs,
      outputOffset: delivered.outputOffset,
    });
    reach("input:stored");
    const { boundary } = delivered;
    if (course.receipt.kind === "answer") {
      session.activity?.answered();
      void watchAnswer({ session, receipt: course.receipt, book, changes });
    } else if (agentOf(session) !== undefined) {
      this.#noteCleared(session);
      session.promptLines = course.request.text.split("\n").length;
      watchTurn({ session, receipt: course.receipt, boundary, reports: delivered.reports, book, changes });
    }
  }

  /** Once: what is stored already stays. */
  failed(course: Course, cause: unknown): void {
    const failure = judgeFailure(cause);
    if (course.receipt.state !== "queued" || failure.kind !== "over") {
      return;
    }
    const { book } = this.#options;
    const isLeftOver = failure.isLeftOver && this.#options.agentOf(course.session) !== undefined;
    if (course.isPatient && isMomentary(failure)) {
      const { attempt, isLeftOver: wasLeftOver } = course.receipt;
      course.receipt = book.note(course.receipt, { attempt: attempt + 1, isLeftOver: isLeftOver || wasLeftOver });
    } else {
      const { state, code } = failure;
      course.receipt = book.note(course.receipt, { state, code, isLeftOver, text: undefined });
    }
    if (isLeftOver) {
      this.leave(course.session, course.receipt);
    }
  }

  /** Ends one that is still queued, whatever has failed. */
  refuse(course: Course, cause: unknown): void {
    if (course.receipt.state === "queued") {
      const failure = judgeFailure(cause);
      const { state, code } = failure.kind === "over" ? failure : { state: "unknown" as const, code: undefined };
      course.receipt = this.#options.book.note(course.receipt, { state, code, text: undefined });
    }
  }

  /** What the worker knows of it; `over` when nothing more is to be done, which the receipt then says. */
  async askFate(course: Course, timeoutMs: number): Promise<"over" | "held" | "again"> {
    const { session, receipt } = course;
    const { book, changes } = this.#options;
    const fate = await askFate(session, receipt, { changes, signal: this.#options.signal, timeoutMs });
    this.#options.signal.throwIfAborted();
    switch (fate.kind) {
      case "written": {
        const { writtenMs = receipt.createdMs, outputOffset = 0 } = fate;
        const boundary = session.activity?.current?.revision ?? 0;
        this.written(course, { boundary, writtenMs, outputOffset, isEchoed: false });
        return "over";
      }
      case "held":
        return "held";
      case "again":
        if (fate.withPart) {
          course.receipt = book.note(receipt, { attempt: receipt.attempt + 1, isLeftOver: true });
          session.leftOver = course.receipt;
        }
        return "again";
      case "failed":
        course.receipt = book.note(receipt, { state: "refused", code: fate.code, text: undefined });
        return "over";
      case "unknown":
        course.receipt = book.note(receipt, { state: "unknown", text: undefined });
        return "over";
    }
  }

  /** A prompt clears what was in the composer before it. */
  #noteCleared(session: Session): void {
    const { book } = this.#options;
    const { leftOver } = session;
    session.leftOver = undefined;
    if (leftOver !== undefined && book.current(leftOver).isLeftOver) {
      book.note(book.current(leftOver), { isLeftOver: false });
    }
  }

  /** A part of it is in the composer. */
  leave(session: Session, receipt: InputReceipt): void {
    this.#options.tidy.later(session, receipt);
  }
}
