import type { VisibleOption, VisibleQuestion } from "./activity.ts";
import type { DetectionRule, Gate, GatePlace, RuleCapture } from "./manifest.ts";
import type { MatchBudget, Pattern } from "./pattern.ts";
import type { ScreenText, TextRow } from "./screen-text.ts";
import { flowOf } from "./screen-text.ts";
import { readUntil } from "./until.ts";

export interface RuleMatch {
  readonly rule: DetectionRule;
  /** Text that the rule's first condition was found in. */
  readonly matchedText: string;
  readonly region: string;
  readonly question?: VisibleQuestion;
  readonly untilMs?: number;
  readonly text?: string;
}

/** The condition that did not hold. */
export interface RuleRefusal {
  readonly rule: DetectionRule;
  readonly reason: string;
}

export interface Look {
  readonly screen: ScreenText;
  readonly budget: MatchBudget;
}

interface Finding {
  readonly text: string;
  readonly region: string;
}

const MOST_MATCHED = 256;
const MOST_QUESTION = 1_024;
const MOST_LABEL = 300;
const MOST_OPTIONS = 24;
/** A row that goes on with an option's label is indented at least so far. */
const CONTINUATION_INDENT = 3;

/** Whether a rule holds on this screen, with what it captures there. */
export function matchRule(rule: DetectionRule, look: Look, wallNowMs: number): RuleMatch | undefined {
  const finding = find(rule.gate, look);
  if (finding === undefined || look.budget.isSpent) {
    return undefined;
  }
  const captured = rule.capture === undefined ? {} : capture(rule, rule.capture, { ...look, wallNowMs });
  return { rule, matchedText: finding.text.slice(0, MOST_MATCHED), region: finding.region, ...captured };
}

/** Why a rule does not hold; undefined when it does. */
export function refuseRule(rule: DetectionRule, look: Look): RuleRefusal | undefined {
  const reason = look.budget.isSpent ? "matching took too long" : missing(rule.gate, look);
  return reason === undefined ? undefined : { rule, reason };
}

export function holdsGate(gate: Gate, look: Look): boolean {
  return find(gate, look) !== undefined;
}

function find(gate: Gate, look: Look): Finding | undefined {
  switch (gate.kind) {
    case "contains": {
      const flow = look.screen.flow(gate.place);
      look.budget.spend(1 + flow.length / 64);
      return flow.includes(gate.text) ? { text: gate.text, region: gate.place.region } : undefined;
    }
    case "pattern":
      return findPattern(gate.pattern, gate.place, look);
    case "all": {
      let first: Finding | undefined;
      for (const each of gate.gates) {
        const found = find(each, look);
        if (found === undefined) return undefined;
        // A negation finds nothing that could be shown.
        first = first === undefined || first.text === "" ? found : first;
      }
      return first;
    }
    case "any": {
      for (const each of gate.gates) {
        const found = find(each, look);
        if (found !== undefined) return found;
      }
      return undefined;
    }
    case "not":
      return find(gate.gate, look) === undefined ? { text: "", region: placeOf(gate.gate).region } : undefined;
  }
}

function findPattern(pattern: Pattern, place: GatePlace, { screen, budget }: Look): Finding | undefined {
  for (const { text } of screen.rows(place)) {
    if (pattern.match(text, budget) !== undefined) {
      return { text: text.trim(), region: place.region };
    }
  }
  return undefined;
}

function missing(gate: Gate, look: Look): string | undefined {
  if (find(gate, look) !== undefined) return undefined;
  if (gate.kind === "all") {
    for (const each of gate.gates) {
      const reason = missing(each, look);
      if (reason !== undefined) return reason;
    }
  }
  return describe(gate);
}

function describe(gate: Gate): string {
  switch (gate.kind) {
    case "contains":
      return `${gate.place.region} does not contain ${JSON.stringify(gate.text)}`;
    case "pattern":
      return `${gate.place.region} has no line like ${gate.pattern.source}`;
    case "any":
      return gate.gates.map(describe).join("; and ");
    case "all":
      return "not all of its conditions hold";
    case "not":
      return `what must not be there is: ${negated(gate.gate)}`;
  }
}

function negated(gate: Gate): string {
  if (gate.kind === "any" && gate.gates.length === 1) return negated(gate.gates[0] as Gate);
  if (gate.kind === "contains") return `${JSON.stringify(gate.text)} in ${gate.place.region}`;
  if (gate.kind === "pattern") return `a line like ${gate.pattern.source} in ${gate.place.region}`;
  return "one of several conditions";
}

function placeOf(gate: Gate): GatePlace {
  if (gate.kind === "contains" || gate.kind === "pattern") return gate.place;
  const inner = gate.kind === "not" ? gate.gate : gate.gates[0];
  return inner === undefined ? { region: "screen", lines: 1 } : placeOf(inner);
}

function capture(
  rule: DetectionRule,
  wanted: RuleCapture,
  { screen, budget, wallNowMs }: Look & { readonly wallNowMs: number },
): Pick<RuleMatch, "question" | "untilMs" | "text"> {
  const rows = dialogRows(rule, wanted, { screen, budget });
  const flow = flowOf(rows);
  const read = (pattern: Pattern | undefined, group: string): string | undefined => {
    const found = pattern?.match(flow, budget);
    return (found?.named[group] ?? found?.text)?.trim().slice(0, MOST_QUESTION);
  };
  const text = read(wanted.question, "question");
  const options = wanted.options === undefined ? [] : readOptions(wanted.options, rows, budget);
  const hasQuestion = rule.state === "blocked" && rows.length > 0 && (text !== undefined || options.length > 0);
  const choose = rule.choose === undefined ? {} : { choose: rule.choose };
  const until = read(wanted.until, "until");
  const untilMs = until === undefined ? undefined : readUntil(until, wallNowMs);
  const said = read(wanted.text, "text");
  return {
    ...(hasQuestion ? { question: { text: text ?? "", options, ...choose } } : {}),
    ...(untilMs === undefined ? {} : { untilMs }),
    ...(said === undefined || said === "" ? {} : { text: said }),
  };
}

/** The rows of the region from the dialog's beginning on: what stands above it has questions and lists of its own. */
function dialogRows(rule: DetectionRule, { place, begin, options }: RuleCapture, look: Look): readonly TextRow[] {
  const rows = look.screen.rows(place);
  if (begin === undefined) return rows;
  const before = options === undefined ? undefined : firstOptionAt(options, rows, look.budget);
  const first = look.screen.lastRowLike(begin, before ?? Number.POSITIVE_INFINITY, look.budget);
  if (first !== undefined) return rows.filter(({ at }) => at >= first);
  // A rule about the screen has seen its dialog. A title may go on telling of one that is gone.
  return rule.region === "title" ? [] : rows;
}

/** Where the last list begins; of one without numbers, where it ends. */
function firstOptionAt(options: Pattern, rows: readonly TextRow[], budget: MatchBudget): number | undefined {
  const found = rows.flatMap(({ at, text }) => {
    const match = options.match(text, budget);
    return match === undefined ? [] : [{ at, key: match.named["key"] }];
  });
  return (found.findLast(({ key }) => key === "1") ?? found.at(-1))?.at;
}

function readOptions(pattern: Pattern, rows: readonly TextRow[], budget: MatchBudget): VisibleOption[] {
  const options: VisibleOption[] = [];
  let lastRow = Number.NEGATIVE_INFINITY;
  for (const { at, text } of rows) {
    const found = optionsOf(pattern, text, budget);
    const last = options.at(-1);
    if (found.length > 0) {
      options.push(...found);
      lastRow = at;
    } else if (last !== undefined && at === lastRow + 1 && indentOf(text) >= CONTINUATION_INDENT) {
      options[options.length - 1] = { ...last, label: `${last.label} ${text.trim()}`.slice(0, MOST_LABEL) };
      lastRow = at;
    }
    if (options.length >= MOST_OPTIONS) break;
  }
  return options.slice(0, MOST_OPTIONS);
}

function optionsOf(pattern: Pattern, text: string, budget: MatchBudget): VisibleOption[] {
  const options: VisibleOption[] = [];
  for (let from = 0; options.length < MOST_OPTIONS; ) {
    const found = pattern.match(text, budget, from);
    if (found === undefined || found.text === "") break;
    from = found.end;
    const { key, marker } = found.named;
    const label = (found.named["label"] ?? found.text).trim().slice(0, MOST_LABEL);
    options.push({ ...(key ? { key } : {}), label, isSelected: (marker ?? "").trim() !== "" });
  }
  return options;
}

function indentOf(text: string): number {
  return text.length - text.trimStart().length;
}
