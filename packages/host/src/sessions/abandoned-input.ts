import type { Logger } from "../logs/logger.ts";
import { failureFields } from "../logs/logger.ts";
import type { InputReceipt } from "../store/input-receipts.ts";
import type { Changes } from "./changes.ts";
import type { Course, CourseNotes } from "./prompt-course.ts";
import { askFate } from "./prompt-fate.ts";
import type { ReceiptBook } from "./receipt-book.ts";

export interface AbandonedOptions {
  readonly book: ReceiptBook;
  readonly notes: CourseNotes;
  readonly changes: Changes;
  readonly now: () => Date;
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** Its caller has asked again. */
  readonly isTaken: () => boolean;
}

/** The worker answers such a question at once, when it is there. */
const LAST_QUESTION_MS = 5000;

/**
 * An input whose text is not known, left by a daemon that died: what the worker wrote is noted, and what it did not write
 * waits for its caller to ask again, until it expires.
 */
export async function settleAbandoned(course: Course, options: AbandonedOptions): Promise<void> {
  const { signal, log } = options;
  try {
    await settle(course, options);
  } catch (cause) {
    if (!signal.aborted) {
      log.warn("input_not_settled", { session_id: course.session.id, ...failureFields(cause) });
    }
  }
}

async function settle(course: Course, options: AbandonedOptions): Promise<void> {
  const { session, receipt } = course;
  const { book, notes, changes, signal, isTaken } = options;
  const fate = await askFate(session, receipt, { changes, signal, timeoutMs: leftMs(receipt, options) });
  if (fate.kind !== "again" && fate.kind !== "held" && !isTaken()) {
    await notes.askFate(course, LAST_QUESTION_MS);
    return;
  }
  const isOver = (): true | undefined => (book.current(receipt).state === "queued" ? undefined : true);
  await changes.until(session.id, isOver, { timeoutMs: leftMs(receipt, options), signal });
  const current = book.current(receipt);
  if (signal.aborted || current.state !== "queued" || isTaken()) {
    return;
  }
  const last = await askFate(session, current, { changes, signal, timeoutMs: LAST_QUESTION_MS });
  const isLeftOver = last.kind === "again" && last.withPart;
  const dropped = book.note(current, { state: "expired", isLeftOver });
  if (isLeftOver) {
    notes.leave(session, dropped);
  }
}

function leftMs({ expiresMs }: InputReceipt, { now }: AbandonedOptions): number {
  return Math.max(0, expiresMs - now().getTime());
}
