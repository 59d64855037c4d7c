import type { ForegroundGroup, TerminalFacts } from "../../worker-api/inspection.ts";
import type { TerminalSnapshot } from "../../worker-api/operations.ts";
import type { Activity } from "./activity.ts";
import type { ActiveAgent, ActivityDetector, MetFacts } from "./activity-detector.ts";
import type { ScreenContent } from "./agent-activity.ts";
import { AgentActivity } from "./agent-activity.ts";
import type { Clock } from "./clock.ts";
import type { Explanation } from "./explanation.ts";
import { ActivityHistory } from "./explanation.ts";
import { ForegroundAgents } from "./foreground-agents.ts";
import type { ChosenManifest, DetectedAgent } from "./manifest-source.ts";
import { QuestionNames } from "./question-names.ts";
import type { LookedAtProcesses, ProcessNames, RecognizedAgent } from "./recognize-agent.ts";
import type { RegionPreview } from "./rule-set.ts";
import { RuleSet } from "./rule-set.ts";
import type { RepeatingClock } from "./shell-activity.ts";
import { ShellActivity } from "./shell-activity.ts";

export interface SessionActivityOptions {
  readonly clock: Clock;
  /** Process group of the session's root process. */
  readonly rootPgid: number;
  /** The root is a shell with a prompt. */
  readonly isShell: boolean;
  /** What the session was started as; undefined for a shell or a command. */
  readonly agent: DetectedAgent | undefined;
  readonly chooseManifest: (agent: DetectedAgent) => ChosenManifest;
  /** Of the runtimes that are installed now. */
  readonly processNames: () => ProcessNames;
  readonly processes: LookedAtProcesses;
  readonly readScreen: () => Promise<ScreenContent | undefined>;
  readonly cpuSeconds: () => number | undefined;
  readonly onChange: (activity: Activity) => void;
  /** Another agent has the terminal, or none any more. */
  readonly onActiveAgent: () => void;
}

/** What judges now: the rules of an agent, or the shell's. */
type Judge =
  | { readonly kind: "agent"; readonly activity: AgentActivity }
  | { readonly kind: "shell"; readonly activity: ShellActivity };

/**
 * The activity of a session, whoever has its terminal: an agent that it was started with, a shell, or an agent that was
 * started in the shell and is recognised by its process.
 */
export class SessionActivity implements ActivityDetector {
  readonly #options: SessionActivityOptions;
  readonly #history = new ActivityHistory();
  readonly #questions: QuestionNames;
  readonly #foreground: ForegroundAgents;
  #judge: Judge | undefined;
  #current: Activity | undefined;
  #active: ActiveAgent | undefined;
  #facts: MetFacts = {};

  constructor(options: SessionActivityOptions) {
    this.#options = options;
    this.#questions = new QuestionNames(options.clock.wallNow());
    this.#foreground = new ForegroundAgents({ ...options, onChange: (agent) => this.#switchTo(agent) });
  }

  /** With the newest evidence, of which changes alone are not told. */
  get current(): Activity | undefined {
    const detail = this.#judge?.kind === "agent" ? this.#judge.activity.current?.detail : undefined;
    return this.#current && this.#questions.name({ ...this.#current, ...(detail === undefined ? {} : { detail }) });
  }

  get activeAgent(): ActiveAgent | undefined {
    return this.#active;
  }

  begin(facts: MetFacts): void {
    this.#facts = facts;
    this.#active = this.#activeOf(this.#foreground.begin(facts.foreground?.pgid ?? this.#options.rootPgid));
    this.#start(true);
  }

  answered(): void {
    this.#questions.forget();
  }

  submitted(): void {
    this.#judge?.activity.submitted();
  }

  outputAdvanced(afterTypingMs: number): void {
    this.#judge?.activity.outputAdvanced(afterTypingMs);
  }

  terminalChanged(terminal: TerminalFacts): void {
    this.#facts = { ...this.#facts, terminal };
    this.#judge?.activity.terminalChanged(terminal);
  }

  foregroundChanged(foreground: ForegroundGroup): void {
    this.#facts = { ...this.#facts, foreground };
    this.#foreground.changed(foreground.pgid);
    if (this.#judge?.kind === "shell") this.#judge.activity.foregroundChanged(foreground);
  }

  resized(): void {
    if (this.#judge?.kind === "agent") this.#judge.activity.resized();
  }

  /** Somebody has looked at the terminal, later than anything that was told. */
  looked(snapshot: TerminalSnapshot): void {
    if (this.#judge?.kind === "agent") this.#judge.activity.looked(snapshot);
  }

  async explain(): Promise<Explanation> {
    const judge = this.#judge;
    const told = judge?.kind === "agent" ? await judge.activity.explain() : undefined;
    const last = this.#history.changes.at(-1);
    // The state may be the same for another reason by now.
    const detail = told?.current?.detail ?? last?.activity.detail;
    return {
      detector: told?.origin ?? "shell",
      sources: told?.sources ?? [],
      rules: told?.rules ?? [],
      current: last && { ...last, activity: { ...last.activity, ...(detail === undefined ? {} : { detail }) } },
      history: this.#history.changes,
    };
  }

  async previews(): Promise<readonly RegionPreview[]> {
    if (this.#judge?.kind === "agent") return await this.#judge.activity.previews();
    const { clock, readScreen } = this.#options;
    const { title } = this.#facts.terminal ?? {};
    const bare = new RuleSet({ rules: [] }, clock);
    bare.setSigns(title === undefined ? {} : { title });
    bare.setScreen((await readScreen())?.lines ?? []);
    return bare.previews();
  }

  [Symbol.dispose](): void {
    this.#foreground[Symbol.dispose]();
    this.#judge?.activity[Symbol.dispose]();
  }

  #switchTo(agent: RecognizedAgent | undefined): void {
    const active = this.#activeOf(agent);
    if (active?.runtimeId === this.#active?.runtimeId && active?.pid === this.#active?.pid) return;
    this.#active = active;
    this.#judge?.activity[Symbol.dispose]();
    this.#start(false);
    this.#options.onActiveAgent();
  }

  /** The session's own agent in its own process is not told apart from the session. */
  #activeOf(agent: RecognizedAgent | undefined): ActiveAgent | undefined {
    return agent === undefined || agent.runtimeId === this.#options.agent?.base ? undefined : agent;
  }

  #start(isFirst: boolean): void {
    const { agent, clock, chooseManifest, rootPgid, isShell } = this.#options;
    const { foreground, terminal } = this.#facts;
    const onChange = (activity: Activity): void => this.#tell(activity);
    const active = this.#active;
    const judged = active === undefined ? agent : { name: active.runtimeId, base: active.runtimeId };
    if (judged === undefined) {
      const activity = new ShellActivity({ rootPgid, isShell, onChange, clock: everyOf(clock) });
      this.#judge = { kind: "shell", activity };
      activity.begin({ ...(foreground ? { foreground } : {}), ...(isFirst && terminal ? { terminal } : {}) });
      return;
    }
    const choose = (): ChosenManifest => chooseManifest(judged);
    // What the session was started with may report from any group of its own; one in a shell has to itself what its group has.
    const group = active === undefined ? undefined : foreground?.pgid;
    const activity = new AgentActivity({ ...this.#options, chooseManifest: choose, onChange, isFirst, group });
    this.#judge = { kind: "agent", activity };
    activity.begin(terminal);
  }

  #tell(activity: Activity): void {
    const before = this.#current;
    if (before?.activity === activity.activity && before?.detail?.kind === undefined && activity.detail === undefined) {
      // A judge that is new says what is known already.
      return;
    }
    const revision = (before?.revision ?? 0) + 1;
    this.#current = this.#questions.name({ ...activity, revision });
    this.#history.add({ atMs: this.#options.clock.wallNow(), activity: this.#current });
    this.#options.onChange(this.#current);
  }
}

function everyOf(clock: Clock): RepeatingClock {
  return {
    now: () => clock.now(),
    every(intervalMs, tick) {
      let timer: Disposable;
      const again = (): void => {
        timer = clock.after(intervalMs, () => {
          again();
          tick();
        });
      };
      again();
      return { [Symbol.dispose]: () => timer[Symbol.dispose]() };
    },
  };
}
