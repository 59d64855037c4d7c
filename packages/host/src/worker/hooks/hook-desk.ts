import type { PeerIdentity } from "../../platform/index.ts";
import type { HookFacts, HookLine, ReportedIdentity } from "../../worker-api/hooks.ts";
import type { AttestationFault, Processes, Subject } from "./attestation.ts";
import { Attestation } from "./attestation.ts";
import type { RowsOutcome } from "./subagent-rows.ts";
import { SubagentRows } from "./subagent-rows.ts";

export interface HookDeskOptions {
  readonly runtimeId: string;
  readonly uid: number;
  readonly processes: Processes;
  /** Writes the facts down; false when that can't be done. */
  readonly keep: () => boolean;
  /** Tells the daemon, should there be one. */
  readonly tell: (facts: HookFacts) => void;
  readonly now: () => number;
}

export type HookVerdict =
  | { readonly ok: true; readonly isIdentity: boolean }
  | { readonly ok: false; readonly code: HookFault };

type HookFault = AttestationFault | "unsupported" | "peer_refused" | "stale" | "too_many" | "wrong_kind" | "not_kept";

const OUTCOMES: Record<RowsOutcome, "taken" | "none" | "stale" | "too_many"> = {
  changed: "taken",
  unchanged: "none",
  stale: "stale",
  too_many: "too_many",
};

/** Takes the reports of the agent's hooks: attested, in order, written down before anybody is told. */
export class HookDesk {
  readonly #options: HookDeskOptions;
  readonly #rows = new SubagentRows();
  #subject: Subject | undefined;
  #attestation: Attestation | undefined;
  #identity: ReportedIdentity | undefined;
  #identitySequence = -1n;

  constructor(options: HookDeskOptions) {
    this.#options = options;
  }

  /** Undefined while nothing was reported. */
  get facts(): HookFacts | undefined {
    const subagents = this.#rows.facts;
    return this.#identity === undefined && subagents.length === 0
      ? undefined
      : { ...(this.#identity === undefined ? {} : { identity: this.#identity }), subagents };
  }

  /** The session's program has been started. */
  begin(subject: Subject): void {
    this.#subject = subject;
    this.#attestation = new Attestation(subject, this.#options.processes);
  }

  /** The program has ended: nobody reports any more, and what ran below it is lost. */
  end(): void {
    this.#attestation = undefined;
    if (this.#rows.lose(this.#options.now())) {
      this.#tell();
    }
  }

  take(line: HookLine, peer: PeerIdentity | undefined): HookVerdict {
    const { runtimeId, uid, now } = this.#options;
    const attestation = this.#attestation;
    if (attestation === undefined) {
      return refusal("unsupported");
    }
    if (peer === undefined || peer.uid !== uid || peer.startIdentity === undefined) {
      return refusal("peer_refused");
    }
    if (line.runtime_id !== runtimeId) {
      return refusal("stale_runtime");
    }
    const fault = attestation.faultOf(line, peer, now());
    return fault === undefined ? this.#takeReport(line) : refusal(fault);
  }

  #takeReport(line: HookLine): HookVerdict {
    const isIdentity = line.type === "identity_report";
    const outcome = line.type.startsWith("identity") ? this.#takeIdentity(line) : OUTCOMES[this.#takeRow(line)];
    if (outcome !== "taken" && outcome !== "none") {
      return refusal(outcome);
    }
    if (outcome === "taken") {
      // A daemon that is away asks for all of it when it is back; one that comes after this worker reads the journal.
      if (!this.#options.keep()) {
        return refusal("not_kept");
      }
      this.#tell();
    }
    return { ok: true, isIdentity };
  }

  #takeIdentity(line: HookLine): "taken" | "none" | "stale" | "wrong_kind" {
    if (line.sequence <= this.#identitySequence) {
      return "stale";
    }
    if (line.type === "identity_report") {
      const { provider, reference_kind, native_reference, sequence } = line;
      if (reference_kind !== this.#subject?.rules.reference_kind) {
        return "wrong_kind";
      }
      this.#identity = { provider, reference_kind, native_reference, sequence: String(sequence) };
    } else {
      this.#identity = undefined;
    }
    this.#identitySequence = line.sequence;
    return "taken";
  }

  #takeRow(line: HookLine): RowsOutcome {
    const { provider, sequence, pid, start_identity } = line;
    const common = { provider, sequence, reporter: `${pid}:${start_identity}`, nowMs: this.#options.now() };
    switch (line.type) {
      case "subagent_start":
        return this.#rows.started({
          ...common,
          id: line.subagent_id,
          parentId: line.parent_id,
          type: line.agent_type,
        });
      case "subagent_stop":
        return this.#rows.stopped({ ...common, id: line.subagent_id, type: line.agent_type });
      case "subagent_snapshot":
        return this.#rows.listed({ ...common, tasks: line.tasks });
      default:
        return "unchanged";
    }
  }

  #tell(): void {
    this.#options.tell(this.facts ?? { subagents: [] });
  }
}

function refusal(code: HookFault): HookVerdict {
  return { ok: false, code };
}
