import { planClear } from "../agents/input/input-plan.ts";
import type { RuntimeDefinition } from "../agents/runtime-definition.ts";
import type { Logger } from "../logs/logger.ts";
import { failureFields } from "../logs/logger.ts";
import type { InputReceipt } from "../store/input-receipts.ts";
import type { AgentOf } from "./agent-of.ts";
import { untilReady } from "./agent-ready.ts";
import { standingOf } from "./agent-standing.ts";
import type { Changes } from "./changes.ts";
import { runningWorker } from "./reachable-worker.ts";
import type { ReceiptBook } from "./receipt-book.ts";
import type { Session } from "./session.ts";

/** What is left in a composer is cleared when its agent is ready again within this time. */
const TIDY_MS = 3_600_000;

export interface ComposerTidyOptions {
  readonly book: ReceiptBook;
  readonly changes: Changes;
  readonly agentOf: AgentOf;
  /** For the keys that clear. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly log: Logger;
}

/**
 * Clears what an input that was not submitted left in its agent's composer: once the agent shows no question any more, since
 * the keys would go to that. A prompt that comes first clears it too.
 */
export class ComposerTidy {
  readonly #options: ComposerTidyOptions;

  constructor(options: ComposerTidyOptions) {
    this.#options = options;
  }

  later(session: Session, receipt: InputReceipt): void {
    session.leftOver = receipt;
    void this.#tidy(session, receipt).catch((cause: unknown) => {
      this.#options.log.warn("composer_not_cleared", { session_id: session.id, ...failureFields(cause) });
    });
  }

  async #tidy(session: Session, receipt: InputReceipt): Promise<void> {
    const { changes, signal, agentOf } = this.#options;
    const agent = agentOf(session);
    if (agent?.input.clearLine === undefined) {
      return;
    }
    while (session.leftOver === receipt) {
      const ready = await untilReady(session, { agent, changes, signal, timeoutMs: TIDY_MS, isFirst: false });
      if (ready !== "ready" || receipt.runtimeId !== session.record.runtime.runtimeId) {
        return;
      }
      await session.input.run(async () => {
        const isSame = receipt.runtimeId === session.record.runtime.runtimeId;
        if (session.leftOver === receipt && standingOf(session) !== "blocked" && isSame) {
          await this.#clear(session, agent, receipt);
        }
      });
    }
  }

  async #clear(session: Session, agent: RuntimeDefinition, receipt: InputReceipt): Promise<void> {
    const { book, timeoutMs } = this.#options;
    await runningWorker(session).write(planClear(agent.input) ?? [], { timeoutMs });
    session.leftOver = undefined;
    book.note(book.current(receipt), { isLeftOver: false });
  }
}
