import type { ClipboardPolicy } from "@pohunek/protocol/wire";
import type { ActivityDetector } from "../agents/detection/activity-detector.ts";
import type { InputReceipt } from "../store/input-receipts.ts";
import type { Operation } from "../store/operation.ts";
import type { SessionRecord } from "../store/session-record.ts";
import type { ForegroundGroup, Inspection, ProcessIdentity, TerminalFacts } from "../worker-api/inspection.ts";
import type { TerminalSnapshot } from "../worker-api/operations.ts";
import { Gate } from "./gate.ts";
import type { WorkerLink } from "./worker-link.ts";

/** What the worker last told about the running program. It is not stored: a daemon that restarts asks again. */
export interface LiveFacts {
  readonly worker: ProcessIdentity;
  readonly child?: ProcessIdentity;
  /** Path of the program's terminal. */
  readonly tty?: string;
  readonly cols: number;
  readonly rows: number;
  readonly outputEnd: number;
  readonly terminal?: TerminalFacts;
  readonly foreground?: ForegroundGroup;
  readonly clipboard?: ClipboardPolicy;
}

/** An agent inside the session's program that has told about itself. */
export interface ReportedAgent {
  /** Who told it; only the same may take it back. */
  readonly source: string;
  readonly agent: string;
  readonly base: string;
  readonly pid?: number;
  readonly nativeId?: string;
  readonly nativePath?: string;
}

/** One session as the daemon holds it. Only the registry changes `record` and `operation`. */
export class Session {
  record: SessionRecord;
  /** The operation that is under way, or that a crash left unfinished. */
  operation: Operation | undefined;
  live: LiveFacts | undefined;
  /** Present while a worker is known that may still answer. */
  link: WorkerLink | undefined;
  /** When the activity became what it is, by `performance.now()`. */
  activitySinceMs = Number.NEGATIVE_INFINITY;
  activity: ActivityDetector | undefined;
  reportedAgent: ReportedAgent | undefined;
  /** A prompt was submitted, and its turn has not begun on the screen; it counts as working until then. */
  awaitedTurn: { readonly untilMs: number } | undefined;
  /** Lines of the last prompt, which an interrupt may have put back into the composer. */
  promptLines: number | undefined;
  /** The input of which a part is in the agent's composer. */
  leftOver: InputReceipt | undefined;
  /** Judges the agent by a screen that is newer than what the worker's events have told. */
  lookAgain: ((snapshot: TerminalSnapshot) => void) | undefined;
  /** Serialises stop, remove and what else changes the session's life. */
  readonly lifecycle = new Gate();
  /** Serialises complete inputs. */
  readonly input = new Gate();
  /** The line of those that wait for the agent to be ready. */
  readonly waiting = new Gate();

  constructor(record: SessionRecord, operation?: Operation) {
    this.record = record;
    this.operation = operation;
  }

  get id(): SessionRecord["id"] {
    return this.record.id;
  }
}

export function factsOf(inspection: Inspection): LiveFacts {
  const { worker, child, tty, cols, rows, output, terminal, foreground, clipboard } = inspection;
  return { worker, child, tty, cols, rows, outputEnd: output.end_offset, terminal, foreground, clipboard };
}
