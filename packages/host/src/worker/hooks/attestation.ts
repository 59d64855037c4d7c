import type { PeerIdentity, Platform, ProcessFacts } from "../../platform/index.ts";
import { isNamedProcess } from "../../platform/index.ts";
import type { HookClaim, HookRules } from "../../worker-api/hooks.ts";
import { HOOK_LIMITS } from "../../worker-api/hooks.ts";
import type { ProcessIdentity } from "../../worker-api/inspection.ts";
import type { FrozenEntrypoint } from "./frozen-entrypoint.ts";
import { runsEntrypoint } from "./frozen-entrypoint.ts";

export type Processes = Pick<Platform["processes"], "read" | "list" | "readArguments" | "readExecutable">;

/** The program whose hooks may report, and what is known of it. */
export interface Subject {
  readonly rules: HookRules;
  readonly root: ProcessIdentity;
  /** Base name by which the root was started; its script may lie behind a link of this name. */
  readonly calledAs: string;
  readonly entrypoint: FrozenEntrypoint | undefined;
}

export type AttestationFault =
  | "stale_runtime"
  | "wrong_provider"
  | "expired"
  | "expiry_too_far"
  | "subject_gone"
  | "peer_outside_subject"
  | "not_launch_agent"
  | "not_root"
  | "entrypoint_changed";

/** Deeper trees are none that an agent makes. */
const ANCESTORS = 64;
/** Decides by the kernel's word who a report comes from, and whether that process may report. */
export class Attestation {
  readonly #subject: Subject;
  readonly #processes: Processes;
  /** Found once: an agent that another one starts later is not the session's. */
  #launchAgent: ProcessIdentity | undefined;

  constructor(subject: Subject, processes: Processes) {
    this.#subject = subject;
    this.#processes = processes;
  }

  /** What is wrong with a report from this peer; undefined when nothing is. */
  faultOf(claim: HookClaim, peer: PeerIdentity, nowMs: number): AttestationFault | undefined {
    const { rules, root } = this.#subject;
    if (claim.provider !== rules.provider) {
      return "wrong_provider";
    }
    if (claim.expiresAtMs <= nowMs) {
      return "expired";
    }
    if (claim.expiresAtMs > nowMs + HOOK_LIMITS.claimMs) {
      return "expiry_too_far";
    }
    const reporter = this.#processes.read(claim.pid);
    if (reporter?.startIdentity !== claim.start_identity) {
      return "subject_gone";
    }
    const line = this.#lineUp(peer);
    const at = line.findIndex(({ pid }) => pid === claim.pid);
    if (at < 0) {
      return "peer_outside_subject";
    }
    return rules.schema === "frozen_root_entrypoint"
      ? this.#faultOfRoot(peer, claim, root)
      : this.#faultOfNamed(line.slice(0, at), reporter);
  }

  /** Only the root itself may report, while it still runs what was started. */
  #faultOfRoot(peer: PeerIdentity, claim: HookClaim, root: ProcessIdentity): AttestationFault | undefined {
    const { entrypoint } = this.#subject;
    if (peer.pid !== root.pid || peer.startIdentity !== root.start_identity || claim.pid !== root.pid) {
      return "not_root";
    }
    const isFrozen = entrypoint !== undefined && runsEntrypoint(root.pid, entrypoint, this.#processes);
    return isFrozen ? undefined : "entrypoint_changed";
  }

  /** The launch agent, or a helper of the same name that it started itself; no other agent stands in between. */
  #faultOfNamed(below: readonly ProcessFacts[], reporter: ProcessFacts): AttestationFault | undefined {
    const agent = this.#findLaunchAgent();
    if (agent === undefined || below.some((each) => this.#isNamed(each))) {
      return "not_launch_agent";
    }
    const isAgent = reporter.pid === agent.pid && reporter.startIdentity === agent.start_identity;
    const parent = this.#processes.read(reporter.parent);
    const isHelper =
      parent?.pid === agent.pid && parent.startIdentity === agent.start_identity && this.#isNamed(reporter);
    return isAgent || isHelper ? undefined : "not_launch_agent";
  }

  /** The peer and its ancestors, nearest first. */
  #lineUp({ pid, startIdentity }: PeerIdentity): readonly ProcessFacts[] {
    const line: ProcessFacts[] = [];
    let current = this.#processes.read(pid);
    if (current?.startIdentity !== startIdentity) {
      return line;
    }
    for (let step = 0; step < ANCESTORS && current !== undefined; step += 1) {
      line.push(current);
      current = current.parent > 1 ? this.#processes.read(current.parent) : undefined;
    }
    return line;
  }

  #findLaunchAgent(): ProcessIdentity | undefined {
    if (this.#launchAgent === undefined) {
      const { rules, root, calledAs } = this.#subject;
      this.#launchAgent = rules.process_names.includes(calledAs) ? root : this.#searchDown();
    }
    return this.#launchAgent;
  }

  #searchDown(): ProcessIdentity | undefined {
    const { root } = this.#subject;
    const all = this.#processes.list();
    let level = all.filter((each) => each.pid === root.pid && each.startIdentity === root.start_identity);
    for (let depth = 0; depth < ANCESTORS && level.length > 0; depth += 1) {
      const found = level.find((each) => this.#isNamed(each));
      if (found !== undefined) {
        return { pid: found.pid, start_identity: found.startIdentity };
      }
      const parents = new Set(level.map(({ pid }) => pid));
      level = all.filter(({ parent }) => parents.has(parent));
    }
    return undefined;
  }

  #isNamed(process: ProcessFacts): boolean {
    return isNamedProcess(process, this.#subject.rules.process_names, this.#processes);
  }
}
