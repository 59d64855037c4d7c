import type { Clock } from "./clock.ts";
import type { LookedAtProcesses, ProcessNames, RecognizedAgent } from "./recognize-agent.ts";
import { isStill, recognizeLeader, recognizeMember } from "./recognize-agent.ts";

export interface ForegroundAgentsOptions {
  readonly clock: Clock;
  readonly rootPgid: number;
  /** Of the runtimes that are installed now. */
  readonly processNames: () => ProcessNames;
  readonly processes: LookedAtProcesses;
  readonly onChange: (agent: RecognizedAgent | undefined) => void;
}

/**
 * When the members of a group are looked through, whose leader is no agent. A wrapper starts its agent a little later, and
 * most jobs of a shell are over before the first look.
 */
const LOOKS_MS = [300, 1_000, 3_000, 10_000];

/**
 * Which agent has the terminal. Only the foreground group is looked at: an agent left in the background is not claimed
 * again at the shell's prompt.
 */
export class ForegroundAgents implements Disposable {
  readonly #options: ForegroundAgentsOptions;
  #group: number | undefined;
  #agent: RecognizedAgent | undefined;
  #timer: Disposable | undefined;

  constructor(options: ForegroundAgentsOptions) {
    this.#options = options;
  }

  /** The agent that has the terminal when the daemon meets the session. */
  begin(group: number): RecognizedAgent | undefined {
    const { rootPgid, processes } = this.#options;
    const names = this.#options.processNames();
    this.#group = group;
    this.#agent = names.size === 0 ? undefined : recognizeLeader(group, names, processes);
    if (this.#agent === undefined && group !== rootPgid && names.size > 0) {
      this.#agent = recognizeMember(group, names, processes);
      if (this.#agent === undefined) this.#lookLater(group, 0);
    }
    return this.#agent;
  }

  /** Another group has the terminal, or the leader of the same one looks different. */
  changed(group: number): void {
    const { rootPgid, processes } = this.#options;
    // A probe that fails for a moment takes nothing away.
    const keeps = group === this.#group && this.#agent !== undefined && isStill(this.#agent, processes) !== false;
    if (keeps) return;
    const names = this.#options.processNames();
    this.#stop();
    this.#group = group;
    this.#set(names.size === 0 ? undefined : recognizeLeader(group, names, processes));
    if (this.#agent === undefined && names.size > 0 && group !== rootPgid) {
      this.#lookLater(group, 0);
    }
  }

  [Symbol.dispose](): void {
    this.#stop();
  }

  #lookLater(group: number, at: number): void {
    const waitMs = LOOKS_MS[at];
    if (waitMs === undefined) return;
    this.#timer = this.#options.clock.after(waitMs - (LOOKS_MS[at - 1] ?? 0), () => {
      this.#timer = undefined;
      const found = recognizeMember(group, this.#options.processNames(), this.#options.processes);
      if (found === undefined) this.#lookLater(group, at + 1);
      else this.#set(found);
    });
  }

  #set(agent: RecognizedAgent | undefined): void {
    this.#agent = agent;
    this.#options.onChange(agent);
  }

  #stop(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
  }
}
