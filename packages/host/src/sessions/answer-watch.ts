import type { InputReceipt } from "../store/input-receipts.ts";
import type { Changes } from "./changes.ts";
import type { ReceiptBook } from "./receipt-book.ts";
import type { Session } from "./session.ts";

/** A question that stands longer than this after its answer did not take it. */
const ANSWERED_MS = 10_000;

export interface WatchedAnswer {
  readonly session: Session;
  readonly receipt: InputReceipt;
  readonly book: ReceiptBook;
  readonly changes: Changes;
}

/** Follows an answer until its question is gone: `echoed`, or `turn_started` when the agent is seen to work then. */
export async function watchAnswer({ session, receipt, book, changes }: WatchedAnswer): Promise<void> {
  using _watching = book.watch(receipt);
  const look = (): "echoed" | "turn_started" | undefined => {
    switch (session.activity?.current?.activity) {
      case "working":
        return "turn_started";
      case "idle":
        return "echoed";
      default:
        // Still asking, or not known.
        return undefined;
    }
  };
  const state = await changes.until(session.id, look, { timeoutMs: ANSWERED_MS });
  if (state !== undefined) {
    book.note(book.current(receipt), { state });
  }
}
