import type { AgentActivity } from "@pohunek/protocol/wire";
import type { EvidenceSource } from "./activity.ts";
import type { Clock } from "./clock.ts";
import type { DetectionManifest, DetectionRegion, DetectionRule, Gate } from "./manifest.ts";
import { DETECTION_REGIONS, REGION_LINES } from "./manifest.ts";
import { MatchBudget } from "./pattern.ts";
import type { Look, RuleMatch } from "./rule-match.ts";
import { holdsGate, matchRule, refuseRule } from "./rule-match.ts";
import { ScreenText } from "./screen-text.ts";
import { sourceOfRegion } from "./verdict.ts";

/** One rule, and what it says about the terminal now. */
export interface RuleExplanation {
  readonly rule: string;
  readonly source: EvidenceSource;
  readonly region: DetectionRegion;
  readonly state: AgentActivity;
  /** Absent: its conditions hold, and it decides. */
  readonly rejected?: string;
}

export interface RegionPreview {
  /** Source of what is judged by it. */
  readonly kind: EvidenceSource;
  readonly region: DetectionRegion;
  readonly text: string;
}

/** Steps of matching in one look: some 30 ms. */
const BUDGET_STEPS = 1_000_000;

/** The rules of a manifest against what the terminal shows. */
export class RuleSet {
  #manifest: DetectionManifest;
  readonly #clock: Clock;
  #lines: readonly string[] = [];
  /** When the screen was seen: what it says to come "in 4 s" counts from then. */
  #seenAtMs = 0;
  #signs: { readonly title?: string; readonly progress?: string } = {};
  #screen: ScreenText | undefined;
  #budget = new MatchBudget(BUDGET_STEPS);
  #found: { readonly match: RuleMatch | undefined } | undefined;

  constructor(manifest: DetectionManifest, clock: Clock) {
    this.#manifest = manifest;
    this.#clock = clock;
  }

  get isEmpty(): boolean {
    return this.#manifest.rules.length === 0;
  }

  useManifest(manifest: DetectionManifest): void {
    this.#manifest = manifest;
    this.#screen = undefined;
    this.#found = undefined;
  }

  setSigns({ title, progress }: { readonly title?: string; readonly progress?: string }): void {
    if (title !== this.#signs.title || progress !== this.#signs.progress) {
      this.#signs = { ...(title === undefined ? {} : { title }), ...(progress === undefined ? {} : { progress }) };
      this.#screen = undefined;
      this.#found = undefined;
    }
  }

  setScreen(lines: readonly string[]): void {
    this.#lines = lines;
    this.#seenAtMs = this.#clock.wallNow();
    this.#screen = undefined;
    this.#found = undefined;
  }

  /** The first rule that holds, in order of rank; a rule that needs the screen needs a fresh one. */
  match(isScreenFresh: () => boolean): RuleMatch | undefined | "needs_screen" {
    if (this.#found !== undefined && isScreenFresh()) return this.#found.match;
    const look = this.#look();
    let hasScreen: boolean | undefined;
    for (const rule of this.#manifest.rules) {
      if (!mayHold(rule.gate, look)) continue;
      hasScreen ??= needsScreen(rule) ? isScreenFresh() : undefined;
      if (hasScreen === false) return "needs_screen";
      const match = matchRule(rule, look, this.#seenAtMs);
      if (match !== undefined) {
        if (hasScreen !== undefined) this.#found = { match };
        return match;
      }
    }
    this.#found = { match: undefined };
    return undefined;
  }

  /** The question on the screen, when something else said already that there is one. */
  matchBlocked(): RuleMatch | undefined {
    const look = this.#look();
    const rules = this.#manifest.rules.filter(({ state, capture }) => state === "blocked" && capture !== undefined);
    for (const rule of rules) {
      const match = matchRule(rule, look, this.#seenAtMs);
      if (match !== undefined) return match;
    }
    return undefined;
  }

  hasDetails(state: AgentActivity | undefined): boolean {
    return this.#manifest.rules.some((rule) => rule.state === state && rule.detail !== undefined);
  }

  /** What the screen says beyond a state that something else has told. */
  matchDetail(state: AgentActivity | undefined): RuleMatch | undefined {
    const look = this.#look();
    for (const rule of this.#manifest.rules) {
      const isMore = rule.state === state && rule.detail !== undefined;
      const match = isMore ? matchRule(rule, look, this.#seenAtMs) : undefined;
      if (match !== undefined) return match;
    }
    return undefined;
  }

  explain(): readonly RuleExplanation[] {
    const look = this.#look();
    let decider: string | undefined;
    return this.#manifest.rules.map((rule) => {
      const refusal = refuseRule(rule, look)?.reason;
      const rejected = refusal ?? (decider === undefined ? undefined : `outranked by ${decider}`);
      if (rejected === undefined) decider = rule.id;
      return describe(rule, rejected);
    });
  }

  /** Letters of each row with some: numbers and marks go on changing on an idle screen. */
  rowWords(): readonly string[] {
    const { screen } = this.#look();
    return screen
      .rows({ region: "screen", lines: REGION_LINES.screen })
      .map(({ text }) => text.replace(/[^\p{L}]+/gu, " ").trim())
      .filter((words) => words !== "");
  }

  previews(): readonly RegionPreview[] {
    const { screen } = this.#look();
    return DETECTION_REGIONS.map((region) => ({
      kind: sourceOfRegion(region),
      region,
      text: screen.preview(region, REGION_LINES[region]),
    }));
  }

  #look(): Look {
    this.#budget = new MatchBudget(BUDGET_STEPS);
    this.#screen ??= new ScreenText({ lines: this.#lines, ...this.#signs }, this.#manifest.composer, this.#budget);
    return { screen: this.#screen, budget: this.#budget };
  }
}

function describe(rule: DetectionRule, rejected: string | undefined): RuleExplanation {
  const { id, region, state } = rule;
  return { rule: id, source: sourceOfRegion(region), region, state, ...(rejected === undefined ? {} : { rejected }) };
}

function needsScreen({ gate, capture }: DetectionRule): boolean {
  return looksAtScreen(gate) || (capture !== undefined && isOnScreen(capture.place.region));
}

/** False when title and progress alone show that the gate does not hold, whatever is on the screen. */
function mayHold(gate: Gate, look: Look): boolean {
  switch (gate.kind) {
    case "contains":
    case "pattern":
      return isOnScreen(gate.place.region) || holdsGate(gate, look);
    case "not":
      return looksAtScreen(gate.gate) || holdsGate(gate, look);
    case "all":
      return gate.gates.every((each) => mayHold(each, look));
    case "any":
      return gate.gates.some((each) => mayHold(each, look));
  }
}

function isOnScreen(region: DetectionRegion): boolean {
  return region !== "title" && region !== "progress";
}

function looksAtScreen(gate: Gate): boolean {
  switch (gate.kind) {
    case "contains":
    case "pattern":
      return isOnScreen(gate.place.region);
    case "not":
      return looksAtScreen(gate.gate);
    case "all":
    case "any":
      return gate.gates.some(looksAtScreen);
  }
}
