import type { ListedTask, SubagentFact } from "../../worker-api/hooks.ts";
import { HOOK_LIMITS } from "../../worker-api/hooks.ts";

/** One sub-agent as a hook tells of it. */
interface SubagentNews {
  readonly id: string;
  readonly provider: string;
  /** The process that reports, with its start identity. */
  readonly reporter: string;
  readonly sequence: bigint;
  readonly parentId?: string;
  readonly type?: string;
  readonly nowMs: number;
}

interface SnapshotNews {
  readonly tasks: readonly ListedTask[];
  readonly reporter: string;
  readonly sequence: bigint;
  readonly nowMs: number;
}

interface Row {
  fact: SubagentFact;
  readonly reporter: string;
  /** Of the newest word about this sub-agent itself. */
  sequence: bigint;
  /** When its run began. */
  startedAt: bigint;
  /** The newest listing of its reporter that had it. */
  listedAt: bigint | undefined;
}

export type RowsOutcome = "changed" | "unchanged" | "stale" | "too_many";

/** How agents call a task that is no agent and starts none that would be listed. */
const NO_AGENTS = new Set(["shell", "bash", "local_bash", "monitor"]);
/** How agents call a task that is over. */
const OVER = new Set(["completed", "failed", "killed", "cancelled", "canceled", "stopped", "error", "done"]);

/**
 * The sub-agents of a session. Hooks are processes of their own, so what they tell may come in another order than it
 * happened: sequences, which are readings of one clock, decide.
 */
export class SubagentRows {
  #rows = new Map<string, Row>();
  readonly #snapshots = new Map<string, bigint>();

  get facts(): readonly SubagentFact[] {
    return [...this.#rows.values()].map(({ fact }) => fact);
  }

  started(news: SubagentNews): RowsOutcome {
    const known = this.#rows.get(news.id);
    if (known !== undefined && news.sequence <= known.sequence) {
      return "stale";
    }
    const running = [...this.#rows.values()].filter(({ fact }) => fact.lifecycle === "running").length;
    if (known?.fact.lifecycle !== "running" && running >= HOOK_LIMITS.runningSubagents) {
      return "too_many";
    }
    this.#put(news, known, { lifecycle: "running", started_at_ms: news.nowMs, updated_at_ms: news.nowMs });
    return "changed";
  }

  stopped(news: SubagentNews): RowsOutcome {
    const known = this.#rows.get(news.id);
    if (known !== undefined && news.sequence <= known.sequence) {
      return "stale";
    }
    if (known !== undefined && known.fact.lifecycle !== "running") {
      known.sequence = news.sequence;
      return "unchanged";
    }
    const { nowMs } = news;
    const startedAtMs = known?.fact.started_at_ms ?? nowMs;
    this.#put(news, known, {
      lifecycle: "completed",
      started_at_ms: startedAtMs,
      updated_at_ms: nowMs,
      finished_at_ms: nowMs,
    });
    this.#forgetOldest();
    return "changed";
  }

  /** Finishes only what the listing proves to be over. */
  listed(news: SnapshotNews): RowsOutcome {
    const { tasks, reporter, sequence, nowMs } = news;
    const before = this.#snapshots.get(reporter);
    if (before !== undefined && sequence <= before) {
      return "stale";
    }
    this.#snapshots.set(reporter, sequence);
    const byId = new Map(tasks.map((task) => [task.id, task]));
    const mayHideAgents = tasks.some(({ type }) => type === undefined || !NO_AGENTS.has(type));
    let outcome: RowsOutcome = "unchanged";
    for (const row of this.#rows.values()) {
      if (row.reporter !== reporter || row.fact.lifecycle !== "running" || row.startedAt >= sequence) {
        continue;
      }
      const task = byId.get(row.fact.id);
      const isOver =
        task === undefined ? isProvenOver(row, { before, mayHideAgents }) : OVER.has(task.status?.toLowerCase() ?? "");
      if (task !== undefined) {
        row.listedAt = sequence;
      }
      if (isOver) {
        row.fact = finish(row.fact, "completed", nowMs);
        outcome = "changed";
      }
    }
    this.#forgetOldest();
    return outcome;
  }

  /** The program has ended, and nobody will tell any more. True when that changed something. */
  lose(nowMs: number): boolean {
    const running = [...this.#rows.values()].filter(({ fact }) => fact.lifecycle === "running");
    for (const row of running) {
      row.fact = finish(row.fact, "lost", nowMs);
    }
    this.#forgetOldest();
    return running.length > 0;
  }

  #put(
    { id, provider, reporter, sequence, parentId, type }: SubagentNews,
    known: Row | undefined,
    change: Omit<SubagentFact, "id" | "provider" | "revision" | "parent_id" | "agent_type">,
  ): void {
    const parent = parentId ?? known?.fact.parent_id;
    const agentType = type ?? known?.fact.agent_type;
    const fact: SubagentFact = {
      id,
      ...(parent === undefined ? {} : { parent_id: parent }),
      provider,
      ...(agentType === undefined ? {} : { agent_type: agentType }),
      ...change,
      revision: (known?.fact.revision ?? 0) + 1,
    };
    const startedAt = change.lifecycle === "running" ? sequence : (known?.startedAt ?? sequence);
    this.#rows.delete(id);
    this.#rows.set(id, { fact, reporter, sequence, startedAt, listedAt: undefined });
  }

  #forgetOldest(): void {
    const finished = [...this.#rows.values()].filter(({ fact }) => fact.lifecycle !== "running");
    for (const { fact } of finished.slice(0, Math.max(0, finished.length - HOOK_LIMITS.finishedSubagents))) {
      this.#rows.delete(fact.id);
    }
  }
}

/**
 * A running row that the listing does not have. Either it was listed before in this run; or the listing before this one, which
 * came after its start, and this one both had no place where it could be.
 */
function isProvenOver(
  { listedAt, startedAt }: Row,
  { before, mayHideAgents }: { before: bigint | undefined; mayHideAgents: boolean },
): boolean {
  if (listedAt !== undefined && listedAt > startedAt) {
    return true;
  }
  return !mayHideAgents && before !== undefined && before > startedAt;
}

function finish(fact: SubagentFact, lifecycle: "completed" | "lost", nowMs: number): SubagentFact {
  return { ...fact, lifecycle, revision: fact.revision + 1, updated_at_ms: nowMs, finished_at_ms: nowMs };
}
