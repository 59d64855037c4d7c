import type { AnnouncedEvent } from "@pohunek/protocol";
import type { SubagentRecord } from "../store/session-record.ts";
import type { HookFacts, SubagentFact } from "../worker-api/hooks.ts";
import type { NativeReferences } from "./native-references.ts";
import type { Registry } from "./registry.ts";
import type { Session } from "./session.ts";
import { runtimeIdentityOf, subagentInfo } from "./session-info.ts";

export interface HookReportsOptions {
  readonly registry: Registry;
  readonly references: NativeReferences;
  readonly announce: (event: AnnouncedEvent) => void;
  readonly now: () => Date;
}

/** Of all generations of a session. */
const KEPT = 96;

/** Turns what a worker has taken from its agent's hooks into what is known of the session. */
export class HookReports {
  readonly #options: HookReportsOptions;
  /** The last report of a conversation that was taken over, by session: generation and sequence. */
  readonly #taken = new WeakMap<Session, string>();

  constructor(options: HookReportsOptions) {
    this.#options = options;
  }

  /** The worker tells all it has; what is known already changes nothing. */
  take(session: Session, { identity, subagents }: HookFacts): void {
    const mark = `${session.record.runtime.runtimeId} ${identity?.sequence}`;
    if (identity !== undefined && this.#taken.get(session) !== mark) {
      this.#taken.set(session, mark);
      this.#options.references.learn(session, identity.native_reference, "reported");
    }
    this.#show(session, subagents.map(recordOf));
  }

  /** The program is gone, and with it all that ran below it. */
  lose(session: Session): void {
    const atMs = this.#options.now().getTime();
    const running = (session.record.subagents ?? []).filter(({ lifecycle }) => lifecycle === "running");
    this.#show(
      session,
      running.map((row) => ({
        ...row,
        lifecycle: "lost",
        revision: row.revision + 1,
        updatedAtMs: atMs,
        finishedAtMs: atMs,
      })),
    );
  }

  #show(session: Session, news: readonly SubagentRecord[]): void {
    const { registry, announce } = this.#options;
    const known = new Map((session.record.subagents ?? []).map((row) => [row.id, row]));
    const changed = news.filter((row) => !isSame(row, known.get(row.id)));
    if (changed.length === 0) {
      return;
    }
    changed.forEach((row) => known.set(row.id, row));
    // The worker has it on disk; here it is stored with the session's next change.
    registry.touch(session, { subagents: newest([...known.values()]) });
    for (const row of changed) {
      const payload = {
        session_id: session.id,
        subagent: subagentInfo(row),
        runtime: runtimeIdentityOf(session.record),
      };
      announce({ event: "subagent_state", payload });
    }
  }
}

function isSame(row: SubagentRecord, known: SubagentRecord | undefined): boolean {
  return known !== undefined && known.revision === row.revision && known.updatedAtMs === row.updatedAtMs;
}

/** Forgets those first that ended first. */
function newest(rows: readonly SubagentRecord[]): readonly SubagentRecord[] {
  const ended = rows.filter(({ lifecycle }) => lifecycle !== "running");
  const surplus = new Set(ended.slice(0, Math.max(0, rows.length - KEPT)));
  return rows.filter((row) => !surplus.has(row));
}

function recordOf(fact: SubagentFact): SubagentRecord {
  return {
    id: fact.id,
    parentId: fact.parent_id,
    provider: fact.provider,
    agentType: fact.agent_type,
    lifecycle: fact.lifecycle,
    revision: fact.revision,
    startedAtMs: fact.started_at_ms,
    updatedAtMs: fact.updated_at_ms,
    finishedAtMs: fact.finished_at_ms,
  };
}
