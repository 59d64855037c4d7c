import type { Activity } from "../agents/detection/activity.ts";
import type { InputReceipt } from "../store/input-receipts.ts";
import type { Changes } from "./changes.ts";
import { hasEnded } from "./lifecycle.ts";
import type { ReceiptBook } from "./receipt-book.ts";
import type { Session } from "./session.ts";

/** An idle agent draws the first of a turn within this time: the slowest one measured needs ten seconds after its start. */
const TURN_BEGINS_MS = 10_000;
/** Between the turn that runs and that of a prompt which the agent kept for later. */
const BETWEEN_TURNS_MS = 2000;

/** Of one turn at least: that it began and that it is over. */
const TURN_REPORTS = 2;

export interface WatchedTurn {
  readonly session: Session;
  readonly receipt: InputReceipt;
  /** Revision of the activity right before the submission. */
  readonly boundary: number;
  /** Status reports of the program until then. */
  readonly reports: number | undefined;
  readonly book: ReceiptBook;
  readonly changes: Changes;
}

/**
 * Follows a submitted prompt until the agent is seen to work because of it, and notes that in its receipt. Until then a turn
 * is awaited, so that "wait until it is idle" does not take the moment before the turn for its end.
 */
export function watchTurn(watched: WatchedTurn): void {
  new TurnWatch(watched).begin();
}

class TurnWatch {
  readonly #watched: WatchedTurn;
  readonly #runtimeId: string;
  readonly #watching: Disposable;
  readonly #listening: Disposable;
  #awaited: Session["awaitedTurn"];
  /** Work that is seen from now on is not that of a turn which ran before. */
  #isArmed: boolean;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(watched: WatchedTurn) {
    const { session, receipt, book, changes } = watched;
    this.#watched = watched;
    this.#runtimeId = session.record.runtime.runtimeId;
    this.#watching = book.watch(receipt);
    this.#isArmed = receipt.midTurn === undefined;
    this.#listening = changes.listen(session.id, () => this.#look());
  }

  begin(): void {
    if (this.#isArmed) {
      this.#await(TURN_BEGINS_MS);
    }
    this.#look();
  }

  /** A turn that does not begin in this time begins without being seen, or not at all. */
  #await(ms: number): void {
    this.#awaited = { untilMs: performance.now() + ms };
    this.#watched.session.awaitedTurn = this.#awaited;
    this.#timer = setTimeout(() => this.#end(), ms);
  }

  #look(): void {
    const { session, receipt, boundary, book } = this.#watched;
    if (hasEnded(session.record) || session.record.runtime.runtimeId !== this.#runtimeId) {
      this.#end();
      return;
    }
    const current = session.activity?.current;
    if (current === undefined) {
      return;
    }
    if (!this.#isArmed && current.activity === "idle") {
      // The turn in whose middle it came is over. What the agent kept for later begins a turn of its own, as a rule.
      this.#isArmed = true;
      if (receipt.midTurn === "queued") {
        this.#await(BETWEEN_TURNS_MS);
      } else {
        this.#end();
      }
    } else if (
      this.#isArmed &&
      ((current.revision > boundary && isSeenAtWork(current)) || this.#hasReported(current))
    ) {
      this.#stopLooking();
      book.note(book.current(receipt), { state: "turn_started" });
      this.#watching[Symbol.dispose]();
    }
  }

  /** A turn that was over before anybody looked: the program has said that it began, and that it is over. */
  #hasReported({ activity }: Activity): boolean {
    const { session, receipt, reports } = this.#watched;
    const now = session.live?.terminal?.status_reports ?? 0;
    // In the middle of a turn they may be those of that turn.
    const isOwn = receipt.midTurn === undefined && reports !== undefined && now >= reports + TURN_REPORTS;
    return activity === "idle" && isOwn;
  }

  #end(): void {
    this.#stopLooking();
    this.#watching[Symbol.dispose]();
  }

  #stopLooking(): void {
    const { session } = this.#watched;
    clearTimeout(this.#timer);
    this.#listening[Symbol.dispose]();
    if (session.awaitedTurn === this.#awaited) {
      session.awaitedTurn = undefined;
    }
  }
}

/** That a prompt was submitted is no sign of the agent's, and not to know what it does is none either. */
function isSeenAtWork({ activity, detail }: Activity): boolean {
  return (activity === "working" || activity === "blocked") && detail?.evidence.source !== "process";
}
