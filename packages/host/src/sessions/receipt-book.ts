import type { InputReceiptReply } from "@pohunek/protocol";
import type { InputId, InputState, SessionId } from "@pohunek/protocol/wire";
import { decimal, protocolError } from "@pohunek/protocol/wire";
import type { Logger } from "../logs/logger.ts";
import { failureFields } from "../logs/logger.ts";
import type { InputReceipt, InputReceipts } from "../store/input-receipts.ts";
import type { Changes } from "./changes.ts";

export interface ReceiptBookOptions {
  readonly receipts: InputReceipts;
  readonly changes: Changes;
  readonly log: Logger;
  readonly now: () => Date;
}

/** A retry of an input that is older than this may be written again, so it is longer than any client goes on trying. */
const KEPT_MS = 86_400_000;
/** Of all sessions together, some 300 bytes each. */
const MOST_RECEIPTS = 10_000;
/** Receipts between two times of pruning. */
const PRUNED_EVERY = 500;
/** A disk that refused the outcome of an input is asked again after this. */
const RETRY_MS = 2000;

const FINAL: readonly InputState[] = ["turn_started", "refused", "expired", "unknown"];

/** Receipts of inputs: each is stored before anybody is told. */
export class ReceiptBook implements Disposable {
  readonly #options: ReceiptBookOptions;
  /** Outcomes that the disk refused: true all the same. */
  readonly #unstored = new Map<string, InputReceipt>();
  /** Those of which more may be found out. */
  readonly #watched = new Set<string>();
  #retry: ReturnType<typeof setTimeout> | undefined;
  #begun = 0;

  constructor(options: ReceiptBookOptions) {
    this.#options = options;
  }

  find(sessionId: SessionId, inputId: InputId): InputReceipt | undefined {
    return this.#unstored.get(keyOf({ sessionId, inputId })) ?? this.#options.receipts.find(sessionId, inputId);
  }

  /** As it is now. */
  current(receipt: InputReceipt): InputReceipt {
    return this.find(receipt.sessionId, receipt.inputId) ?? receipt;
  }

  list(sessionId: SessionId | undefined, limit: number): InputReceipt[] {
    const stored = this.#options.receipts.list(sessionId, limit);
    return stored.map((receipt) => this.#unstored.get(keyOf(receipt)) ?? receipt);
  }

  queued(): InputReceipt[] {
    return this.#options.receipts.queued();
  }

  leftOver(): InputReceipt[] {
    return this.#options.receipts.leftOver();
  }

  /** Stores a new input before anything is done about it. Fails with io_error, and then nothing may be done. */
  begin(receipt: InputReceipt): InputReceipt {
    try {
      this.#options.receipts.add(receipt);
    } catch (cause) {
      throw protocolError("io_error", { message: "the input's receipt can't be stored, so nothing is written", cause });
    }
    this.#begun += 1;
    if (this.#begun % PRUNED_EVERY === 1) {
      this.#prune();
    }
    return receipt;
  }

  /** What has happened to an input. True whether or not the disk takes it. */
  note(receipt: InputReceipt, change: Partial<InputReceipt>): InputReceipt {
    const changed = { ...receipt, ...change, updatedMs: this.#options.now().getTime() };
    const key = keyOf(receipt);
    try {
      this.#options.receipts.update(changed);
      this.#unstored.delete(key);
    } catch (cause) {
      this.#options.log.error("receipt_not_stored", { session_id: receipt.sessionId, ...failureFields(cause) });
      this.#unstored.set(key, changed);
      this.#retry ??= setTimeout(() => this.#storeAgain(), RETRY_MS);
    }
    this.#options.changes.notify(receipt.sessionId);
    return changed;
  }

  /** More may be found out about it until that is disposed of. */
  watch(receipt: InputReceipt): Disposable {
    const key = keyOf(receipt);
    this.#watched.add(key);
    return {
      [Symbol.dispose]: () => {
        this.#watched.delete(key);
        this.#options.changes.notify(receipt.sessionId);
      },
    };
  }

  isFinal(receipt: InputReceipt): boolean {
    return FINAL.includes(receipt.state) || (receipt.state !== "queued" && !this.#watched.has(keyOf(receipt)));
  }

  /** As the public protocol shows it. */
  describe(receipt: InputReceipt): InputReceiptReply {
    const { writtenMs, outputOffset } = receipt;
    return {
      input_id: receipt.inputId,
      session_id: receipt.sessionId,
      kind: receipt.kind,
      state: receipt.state,
      is_final: this.isFinal(receipt),
      code: receipt.code,
      bytes: receipt.bytes,
      mid_turn: receipt.midTurn,
      is_left_over: receipt.isLeftOver ? true : undefined,
      created_at: timeOf(receipt.createdMs),
      updated_at: timeOf(receipt.updatedMs),
      expires_at: receipt.state === "queued" ? timeOf(receipt.expiresMs) : undefined,
      written_at: writtenMs === undefined ? undefined : timeOf(writtenMs),
      output_offset: outputOffset === undefined ? undefined : decimal(outputOffset),
    };
  }

  #prune(): void {
    const beforeMs = this.#options.now().getTime() - KEPT_MS;
    this.#options.receipts.prune({ beforeMs, most: MOST_RECEIPTS });
  }

  #storeAgain(): void {
    this.#retry = undefined;
    const unstored = [...this.#unstored.values()];
    for (const receipt of unstored) {
      this.note(receipt, {});
    }
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#retry);
    this.#storeAgain();
    clearTimeout(this.#retry);
  }
}

export function keyOf({ sessionId, inputId }: Pick<InputReceipt, "sessionId" | "inputId">): string {
  return `${sessionId}/${inputId}`;
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}
