import type { Activity } from "../agents/detection/activity.ts";
import type { InputReceipt } from "../store/input-receipts.ts";
import type { Changes } from "./changes.ts";
import { hasEnded } from "./lifecycle.ts";
import type { ReceiptBook } from "./receipt-book.ts";
import type { Session } from "./session.ts";

/** An agent that is idle draws the first of a turn within this time after the submission: the slowest one measured needs ten seconds after its start. */
const TURN_BEGINS_MS = 10_000;
/** A prompt that an agent keeps for after its turn begins a turn when that one is over, which is soon seen then. */
const AFTER_TURN_MS = 60_000;

export interface WatchedTurn {
  readonly session: Session;
  readonly receipt: InputReceipt;
  /** Revision of the activity right before the submission. */
  readonly boundary: number;
  readonly book: ReceiptBook;
  readonly changes: Changes;
}

/**
 * Follows a submitted prompt until the agent is seen to work because of it, and notes that in its receipt. Until then a turn
 * is awaited, so that "wait until it is idle" does not take the moment before the turn for its end.
 */
export function watchTurn({ session, receipt, boundary, book, changes }: WatchedTurn): void {
  const { runtimeId } = session.record.runtime;
  const awaited = { untilMs: performance.now() + TURN_BEGINS_MS };
  session.awaitedTurn = awaited;
  const watching = book.watch(receipt);
  let timer: ReturnType<typeof setTimeout>;
  const end = (): void => {
    clearTimeout(timer);
    listening[Symbol.dispose]();
    if (session.awaitedTurn === awaited) {
      session.awaitedTurn = undefined;
    }
    watching[Symbol.dispose]();
  };
  const look = (): void => {
    if (hasEnded(session.record) || session.record.runtime.runtimeId !== runtimeId) {
      end();
      return;
    }
    const current = session.activity?.current;
    if (current !== undefined && current.revision > boundary && isSeenAtWork(current)) {
      end();
      book.note(book.current(receipt), { state: "turn_started" });
    }
  };
  const isOver = (): void => {
    const isBusyStill = session.activity?.current?.activity === "working";
    if (isBusyStill) {
      timer = setTimeout(isOver, AFTER_TURN_MS);
    } else {
      end();
    }
  };
  const listening = changes.listen(session.id, look);
  timer = setTimeout(isOver, TURN_BEGINS_MS);
  look();
}

/** That a prompt was submitted is no sign of the agent's, and not to know what it does is none either. */
function isSeenAtWork({ activity, detail }: Activity): boolean {
  return (activity === "working" || activity === "blocked") && detail?.evidence.source !== "process";
}
