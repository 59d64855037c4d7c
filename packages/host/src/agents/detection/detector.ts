import type { ProgramStatus } from "../../worker-api/program-status.ts";
import type { Activity, EvidenceSource } from "./activity.ts";
import { EVIDENCE_SOURCES } from "./activity.ts";
import type { Clock } from "./clock.ts";
import type { SourceExplanation } from "./explanation.ts";
import { LookSchedule } from "./look-schedule.ts";
import type { DetectionManifest } from "./manifest.ts";
import { OutputActivity } from "./output-activity.ts";
import type { RegionPreview, RuleExplanation } from "./rule-set.ts";
import { RuleSet } from "./rule-set.ts";
import { Settling } from "./settling.ts";
import { StuckWatch } from "./stuck-watch.ts";
import { Submission } from "./submission.ts";
import type { ChannelReport, Verdict } from "./verdict.ts";
import {
  isSameState,
  unknownVerdict,
  verdictOfActivity,
  verdictOfChannel,
  verdictOfRule,
  verdictOfStatus,
  wireSource,
  withDetail,
  withQuestion,
} from "./verdict.ts";

export interface DetectorOptions {
  readonly manifest: DetectionManifest;
  readonly clock: Clock;
  readonly onChange: (activity: Activity) => void;
  /** The screen's text is wanted; `screen` brings it. Called at most five times a second. */
  readonly look: () => void;
  /** Seconds of processor time that the program and all it started have used; undefined: not known. */
  readonly cpuSeconds: () => number | undefined;
  /** Revision of the activity before, when another detector told it. */
  readonly revision?: number;
}

/** What a terminal says besides its text. */
export interface TerminalSigns {
  readonly title?: string;
  readonly progress?: string;
  /** Grows with each change of the visible screen. */
  readonly revision: number;
}

const SUBMITTED: Verdict = {
  activity: "working",
  detail: { evidence: { source: "process", rule: "prompt submitted" } },
};

/** A program that tells its state is looked at this often for the rest: nobody waits for that. */
const DETAIL_EVERY_MS = 2_000;

/**
 * Tells what one program does, from ranked sources: its status reports, its own channel, title and progress, the screen,
 * the flow of its output. A source counts only while none above it has spoken. Made anew for another program.
 */
export class Detector implements Disposable {
  readonly #options: DetectorOptions;
  readonly #rules: RuleSet;
  readonly #output: OutputActivity;
  readonly #settling: Settling;
  readonly #stuck: StuckWatch;
  readonly #submission: Submission;
  readonly #looks: LookSchedule;
  #current: Activity | undefined;
  #revision: number;
  #status: readonly ProgramStatus[] | undefined;
  #channel: ChannelReport | undefined;
  #isLooking = false;
  #toldActivity: Activity["activity"];
  /** The screen was seen since then. */
  #hasSeenScreen = false;

  constructor(options: DetectorOptions) {
    const { clock, manifest } = options;
    const decide = (): void => this.#decide();
    this.#options = options;
    this.#revision = options.revision ?? 0;
    this.#rules = new RuleSet(manifest, clock);
    this.#output = new OutputActivity(clock, decide);
    this.#settling = new Settling(clock, decide);
    this.#submission = new Submission(clock, () => this.#rules.rowWords(), decide);
    this.#stuck = new StuckWatch({ clock, cpuSeconds: options.cpuSeconds, onChange: decide });
    this.#looks = new LookSchedule(clock, options.look);
    if (manifest.rules.length === 0) {
      this.#decide();
    }
  }

  get current(): Activity | undefined {
    return this.#current;
  }

  /** All records of OSC 7501 as they are now. From the first call on nothing else counts. */
  statusReported(records: readonly ProgramStatus[]): void {
    this.#status = records;
    this.#noteTold(verdictOfStatus(records));
    this.#decide();
  }

  /** A channel that tells all that happens. Hooks do not: they miss interrupts. */
  channelReported(report: ChannelReport): void {
    this.#channel = report;
    this.#noteTold(verdictOfChannel(report));
    this.#decide();
  }

  terminalChanged(signs: TerminalSigns): void {
    this.#rules.setSigns(signs);
    this.#looks.changed(signs.revision);
    this.#decide();
  }

  /** Other rules are in force from now on. */
  useManifest(manifest: DetectionManifest): void {
    this.#rules.useManifest(manifest);
    this.#decide();
  }

  /** The screen can't be had now; the next change asks again. */
  lookFailed(): void {
    this.#looks.failed();
  }

  /** What the look brought. */
  screen(lines: readonly string[], revision: number): void {
    this.#looks.looked(revision);
    this.#rules.setScreen(lines);
    // Judged as it was seen, though it may have changed since: a flood would never be judged otherwise.
    this.#isLooking = true;
    this.#decide();
    this.#isLooking = false;
  }

  /** `afterTypingMs`: how long before this output somebody typed last. */
  outputAdvanced(afterTypingMs: number): void {
    this.#stuck.noteOutput();
    this.#submission.noteOutput();
    this.#output.note(afterTypingMs);
  }

  /** A prompt was written for its owner: the agent has work, until it is seen to be idle again. */
  submitted(): void {
    if (this.#current?.activity === "idle" && this.overruledBy === undefined) {
      this.#submission.begin();
      this.#decide();
    }
  }

  /** The program is about to draw everything again. */
  resized(): void {
    this.#looks.postpone();
    this.#output.ignoreForAWhile();
  }

  /** What each rule says about the screen that was seen last. */
  explainRules(): readonly RuleExplanation[] {
    return this.#rules.explain();
  }

  explainSources(): readonly SourceExplanation[] {
    const deciding = this.#current?.detail?.evidence.source;
    return EVIDENCE_SOURCES.filter((source) => source !== deciding).map((source) => ({
      source,
      reason: this.#reasonAgainst(source, deciding),
    }));
  }

  previews(): readonly RegionPreview[] {
    return this.#rules.previews();
  }

  /** A source above the rules has spoken, so that they don't count. */
  get overruledBy(): "osc_7501" | "channel" | undefined {
    return this.#status === undefined ? this.#channel && "channel" : "osc_7501";
  }

  [Symbol.dispose](): void {
    this.#submission[Symbol.dispose]();
    this.#output[Symbol.dispose]();
    this.#settling[Symbol.dispose]();
    this.#stuck[Symbol.dispose]();
    this.#looks[Symbol.dispose]();
  }

  #decide(): void {
    const verdict = this.#judge();
    if (verdict === undefined) {
      return;
    }
    if (isSameState(verdict, this.#current)) {
      this.#settling.cancel();
      this.#refresh(verdict);
    } else if (this.#settling.isSettled(verdict, { before: this.#current, isQuiet: this.#output.isQuiet })) {
      this.#set(verdict);
    }
  }

  /** Undefined: a look at the screen is needed first. */
  #judge(): Verdict | undefined {
    if (this.#rules.isEmpty && this.#status === undefined && this.#channel === undefined) {
      return unknownVerdict("process");
    }
    const verdict = this.#judgeSources();
    if (verdict?.activity !== "working") {
      this.#stuck.rest();
      return verdict;
    }
    this.#stuck.watch();
    return this.#stuck.isStuck ? { ...verdict, detail: { ...verdict.detail, kind: "stuck" } } : verdict;
  }

  #judgeSources(): Verdict | undefined {
    const told =
      this.#status !== undefined ? verdictOfStatus(this.#status) : this.#channel && verdictOfChannel(this.#channel);
    if (told !== undefined) {
      return this.#withScreen(told);
    }
    const match = this.#rules.match(() => this.#isScreenFresh());
    if (match === "needs_screen") {
      return this.#submission.isOpen ? SUBMITTED : undefined;
    }
    if (this.#submission.isOpen && (match === undefined || match.rule.state === "idle")) {
      return SUBMITTED;
    }
    this.#submission.end();
    if (match !== undefined) {
      return verdictOfRule(match);
    }
    return this.#output.isBusy ? verdictOfActivity() : unknownVerdict("screen");
  }

  /** What the screen showed before belongs to what was told before. */
  #noteTold({ activity }: Verdict): void {
    if (activity !== this.#toldActivity) {
      this.#toldActivity = activity;
      this.#hasSeenScreen = false;
      this.#looks.again();
    }
  }

  /** What nobody tells but the screen: the question's text, that it tries again, when a limit ends. */
  #withScreen(told: Verdict): Verdict {
    const isBlocked = told.activity === "blocked";
    if (!isBlocked && (told.detail.kind !== undefined || !this.#rules.hasDetails(told.activity))) return told;
    this.#looks.want(isBlocked ? undefined : DETAIL_EVERY_MS);
    this.#hasSeenScreen ||= this.#isLooking;
    if (!this.#hasSeenScreen) return told;
    return isBlocked
      ? withQuestion(told, this.#rules.matchBlocked())
      : withDetail(told, this.#rules.matchDetail(told.activity));
  }

  #isScreenFresh(): boolean {
    this.#looks.want();
    return this.#isLooking || this.#looks.isFresh;
  }

  /** Only what nobody waits for has changed. */
  #refresh(verdict: Verdict): void {
    if (this.#current !== undefined) {
      this.#current = { ...this.#current, source: wireSource(verdict), detail: verdict.detail };
    }
  }

  #reasonAgainst(source: EvidenceSource, deciding: EvidenceSource | undefined): string {
    if (source === "osc_7501") return "the program has never reported its state";
    if (source === "channel") return "the agent has no channel of its own that has spoken";
    if (this.overruledBy !== undefined) return `${this.overruledBy} has spoken in this process and ranks above it`;
    const isOutranked = deciding !== undefined && EVIDENCE_SOURCES.indexOf(source) > EVIDENCE_SOURCES.indexOf(deciding);
    if (isOutranked) return `${deciding} ranks above it`;
    return source === "pty_activity" ? "nothing is being printed" : "no rule of it holds";
  }

  #set(verdict: Verdict): void {
    this.#revision += 1;
    const { activity, detail } = verdict;
    this.#current = { activity, source: wireSource(verdict), revision: this.#revision, detail };
    this.#options.onChange(this.#current);
  }
}
