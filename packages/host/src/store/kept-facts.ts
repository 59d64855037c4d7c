import type { RuntimeState, SessionId, SessionState } from "@pohunek/protocol/wire";
import { RUNTIME_STATES, SESSION_STATES } from "@pohunek/protocol/wire";
import type { Operation, OperationKind } from "./operation.ts";
import { OPERATION_KINDS } from "./operation.ts";
import type { SessionRecord } from "./session-record.ts";
import { SpareFile } from "./spare-file.ts";
import type { AuditEvent, StoreChanges } from "./store.ts";

/** How a session of one generation ended, or what was to be done with it. */
interface Ending {
  readonly runtimeId: string;
  readonly state: SessionState;
  readonly runtimeState: RuntimeState;
  readonly exitCode?: number;
  readonly exitSignal?: string;
  readonly lossReason?: string;
  readonly updatedAt: string;
  /** `null` ends the operation of the session; absent leaves what the database has. */
  readonly operation?: Pick<Operation, "kind" | "step" | "startedAt"> | null;
}

/** What the database does not have yet: an ending, or that the session is removed. */
export type KeptFact = Ending | "removed";

/**
 * The few facts that must outlive the daemon although the database can't be written: that a session has ended, that it is to
 * end, that it is removed. They lie in a file whose room was taken before, until the database has them.
 */
export class KeptFacts implements Disposable {
  readonly #spare: SpareFile;
  readonly #facts = new Map<SessionId, KeptFact>();
  /** For the audit log, which tells them when the database does. A restart loses them. */
  readonly #events = new Map<SessionId, readonly AuditEvent[]>();

  constructor(path: string) {
    this.#spare = new SpareFile(path);
    for (const line of this.#spare.found) {
      this.#take(JSON.parse(line) as Line);
    }
  }

  get ids(): Iterable<SessionId> {
    return this.#facts.keys();
  }

  get size(): number {
    return this.#facts.size;
  }

  find(id: SessionId): KeptFact | undefined {
    return this.#facts.get(id);
  }

  eventsOf(id: SessionId): readonly AuditEvent[] {
    return this.#events.get(id) ?? [];
  }

  /** Keeps what of `changes` must not be lost, durably. False when nothing of it is worth it. Throws when there is no room. */
  keep(changes: StoreChanges): boolean {
    const line = lineOf(changes);
    if (line === undefined) {
      return false;
    }
    this.#spare.append(JSON.stringify(line));
    this.#take(line);
    this.#events.set(line.id, [...this.eventsOf(line.id), ...(changes.events ?? [])]);
    return true;
  }

  /** The database has all of this session. */
  forget(id: SessionId): void {
    if (!this.#facts.delete(id)) {
      return;
    }
    this.#events.delete(id);
    try {
      if (this.#facts.size > 0) {
        this.#spare.append(JSON.stringify({ id, isStored: true } satisfies Line));
      } else {
        this.#spare.clear();
      }
    } catch {
      // ENOSPC, EIO: what stays there is older than what the database has, and known by that.
    }
  }

  /** Sees that there is room for the next time, where there was none. */
  prepare(): void {
    this.#spare.prepare();
  }

  /** The record with what was kept of it; undefined when it is removed. */
  complete(record: SessionRecord): SessionRecord | undefined {
    const fact = this.#facts.get(record.id);
    if (fact === undefined) {
      return record;
    }
    if (fact === "removed") {
      return undefined;
    }
    // Of an earlier generation, or older than what the database got since.
    if (fact.runtimeId !== record.runtime.runtimeId || fact.updatedAt < record.updatedAt) {
      return record;
    }
    const { state, exitCode, exitSignal, lossReason, runtimeState, updatedAt } = fact;
    return {
      ...record,
      state,
      exitCode,
      exitSignal,
      updatedAt,
      runtime: { ...record.runtime, state: runtimeState, lossReason },
    };
  }

  /** The operation that the session is in, where that was kept: `null` when it is in none. */
  operationOf(id: SessionId): Operation | null | undefined {
    const fact = this.#facts.get(id);
    if (fact === undefined || fact === "removed") {
      return fact === undefined ? undefined : null;
    }
    const { operation } = fact;
    return operation === undefined || operation === null ? operation : { sessionId: id, attempts: 0, ...operation };
  }

  #take({ id, isStored, isRemoved, ending }: Line): void {
    const before = this.#facts.get(id);
    if (isStored === true) {
      this.#facts.delete(id);
    } else if (isRemoved === true) {
      this.#facts.set(id, "removed");
    } else if (isEnding(ending)) {
      const kept = before === undefined || before === "removed" ? undefined : before.operation;
      this.#facts.set(id, ending.operation === undefined ? { ...ending, operation: kept } : ending);
    }
  }

  [Symbol.dispose](): void {
    this.#spare[Symbol.dispose]();
  }
}

interface Line {
  readonly id: SessionId;
  readonly isStored?: boolean;
  readonly isRemoved?: boolean;
  readonly ending?: Ending;
}

function lineOf({ session, removedSession, operation }: StoreChanges): Line | undefined {
  if (removedSession !== undefined) {
    return { id: removedSession, isRemoved: true };
  }
  if (session === undefined) {
    return undefined;
  }
  const { runtime, state, exitCode, exitSignal, updatedAt } = session;
  const hasEnded = runtime.state === "terminal" || runtime.state === "lost";
  if (!hasEnded && operation === undefined) {
    return undefined;
  }
  const { runtimeId, lossReason } = runtime;
  const outcome = { runtimeId, state, runtimeState: runtime.state, exitCode, exitSignal, lossReason, updatedAt };
  return { id: session.id, ending: { ...outcome, operation: operation && stepOf(operation) } };
}

function stepOf({ kind, step, startedAt }: Operation): Pick<Operation, "kind" | "step" | "startedAt"> {
  return { kind, step, startedAt };
}

/** A line is whole, but may be of a newer release. */
function isEnding(ending: Ending | undefined): ending is Ending {
  const kinds: readonly (OperationKind | undefined)[] = [...OPERATION_KINDS, undefined];
  return (
    ending !== undefined &&
    SESSION_STATES.includes(ending.state) &&
    RUNTIME_STATES.includes(ending.runtimeState) &&
    kinds.includes(ending.operation?.kind)
  );
}
