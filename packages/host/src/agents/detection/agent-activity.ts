import type { TerminalFacts } from "../../worker-api/inspection.ts";
import type { TerminalSnapshot } from "../../worker-api/operations.ts";
import type { Activity } from "./activity.ts";
import type { Clock } from "./clock.ts";
import { Detector } from "./detector.ts";
import type { SourceExplanation } from "./explanation.ts";
import type { ChosenManifest } from "./manifest-source.ts";
import type { RegionPreview, RuleExplanation } from "./rule-set.ts";

export interface ScreenContent {
  readonly lines: readonly string[];
  readonly revision: number;
}

export interface AgentActivityOptions {
  readonly clock: Clock;
  /** As the files and packages are now. */
  readonly chooseManifest: () => ChosenManifest;
  /** Undefined when the worker can't be asked now. */
  readonly readScreen: () => Promise<ScreenContent | undefined>;
  readonly cpuSeconds: () => number | undefined;
  readonly onChange: (activity: Activity) => void;
  /** False: the program has taken over a terminal that another one used, so what that one said does not count. */
  readonly isFirst: boolean;
  /** Process group whose reports are the agent's; undefined: all are. */
  readonly group: number | undefined;
}

/** A manifest's file is looked at again after this time, when something happens on the terminal. */
const MANIFEST_AGE_MS = 1_000;

/** The detector of one agent, fed from a worker. */
export class AgentActivity implements Disposable {
  readonly #options: AgentActivityOptions;
  readonly #detector: Detector;
  #chosen: ChosenManifest;
  #chosenAtMs: number;
  #terminal: TerminalFacts | undefined;
  /** What was reported and shown before this agent had the terminal. */
  #reportsBefore = 0;
  #titleBefore: string | undefined;

  constructor(options: AgentActivityOptions) {
    const { clock, chooseManifest, cpuSeconds, onChange } = options;
    this.#options = options;
    this.#chosen = chooseManifest();
    this.#chosenAtMs = clock.now();
    this.#detector = new Detector({
      manifest: this.#chosen.manifest,
      clock,
      onChange,
      look: () => void this.#look(),
      cpuSeconds,
    });
  }

  get current(): Activity | undefined {
    return this.#detector.current;
  }

  begin(terminal: TerminalFacts | undefined): void {
    if (!this.#options.isFirst) {
      this.#reportsBefore = terminal?.status_reports ?? 0;
      this.#titleBefore = terminal?.title;
    }
    if (terminal !== undefined) this.terminalChanged(terminal);
  }

  submitted(): void {
    this.#detector.submitted();
  }

  outputAdvanced(afterTypingMs: number): void {
    this.#detector.outputAdvanced(afterTypingMs);
  }

  resized(): void {
    this.#detector.resized();
  }

  terminalChanged(terminal: TerminalFacts): void {
    this.#terminal = terminal;
    this.#chooseAgain();
    this.#tellStatus();
    const { title, progress, revision } = terminal;
    const isOwnTitle = title !== undefined && title !== this.#titleBefore;
    if (isOwnTitle) this.#titleBefore = undefined;
    const percent = progress?.percent === undefined ? "" : ` ${progress.percent}%`;
    this.#detector.terminalChanged({
      revision,
      ...(isOwnTitle ? { title } : {}),
      ...(progress === undefined ? {} : { progress: `${progress.state}${percent}` }),
    });
  }

  looked({ visible_lines: lines, ...terminal }: TerminalSnapshot): void {
    if (this.#isOutdated(terminal)) return;
    const { status, status_reports } = this.#terminal ?? {};
    // A snapshot of an older worker has no status reports: those that are known stand.
    this.terminalChanged({
      ...(status_reports === undefined ? {} : { status_reports, status: status ?? [] }),
      ...terminal,
    });
    this.#detector.screen(lines, terminal.revision);
  }

  /** What the worker told right after its answer was read together with that, and has been heard before it. */
  #isOutdated({ revision, status_reports: reports }: TerminalFacts): boolean {
    const { revision: toldRevision = 0, status_reports: toldReports = 0 } = this.#terminal ?? {};
    return revision < toldRevision || (reports ?? toldReports) < toldReports;
  }

  async explain(): Promise<{
    current: Activity | undefined;
    origin: string;
    sources: readonly SourceExplanation[];
    rules: readonly RuleExplanation[];
  }> {
    await this.#lookNow();
    return {
      current: this.#detector.current,
      origin: this.#chosen.origin,
      sources: this.#detector.explainSources(),
      rules: this.#detector.explainRules(),
    };
  }

  async previews(): Promise<readonly RegionPreview[]> {
    await this.#lookNow();
    return this.#detector.previews();
  }

  [Symbol.dispose](): void {
    this.#detector[Symbol.dispose]();
  }

  #tellStatus(): void {
    const { status = [], status_reports: reports = 0 } = this.#terminal ?? {};
    const { group } = this.#options;
    const isOwn = (pgid: number): boolean => group === undefined || pgid === group;
    const own = status.filter(({ seq, pgid }) => seq > this.#reportsBefore && isOwn(pgid));
    // Reports that were all cleared count too: the program speaks.
    const isCleared = reports > this.#reportsBefore && status.length === 0;
    if (own.length > 0 || isCleared || this.#detector.overruledBy === "osc_7501") {
      this.#detector.statusReported(own);
    }
  }

  #chooseAgain(): void {
    const { clock, chooseManifest } = this.#options;
    if (clock.now() - this.#chosenAtMs < MANIFEST_AGE_MS) return;
    this.#chosenAtMs = clock.now();
    const chosen = chooseManifest();
    if (chosen.manifest !== this.#chosen.manifest) {
      this.#chosen = chosen;
      this.#detector.useManifest(chosen.manifest);
    }
  }

  async #look(): Promise<void> {
    const content = await this.#options.readScreen();
    if (content === undefined) this.#detector.lookFailed();
    else this.#detector.screen(content.lines, content.revision);
  }

  async #lookNow(): Promise<void> {
    this.#chosenAtMs = Number.NEGATIVE_INFINITY;
    this.#chooseAgain();
    await this.#look();
  }
}
