import type { CharacterSet, PatternNode } from "./pattern-syntax.ts";
import { PatternError, parsePattern } from "./pattern-syntax.ts";

/** Steps that matching may still take in one look at a screen, so that no text can keep the daemon busy. */
export class MatchBudget {
  #left: number;

  constructor(steps: number) {
    this.#left = steps;
  }

  get isSpent(): boolean {
    return this.#left <= 0;
  }

  spend(steps: number): void {
    this.#left -= steps;
  }
}

export interface PatternMatch {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** By position; undefined for a group that took no part. */
  readonly groups: readonly (string | undefined)[];
  readonly named: Readonly<Record<string, string | undefined>>;
}

type Instruction =
  | { readonly op: "set"; readonly set: CharacterSet }
  | { readonly op: "assert"; readonly at: "start" | "end" | "word" }
  | { op: "split"; first: number; second: number }
  | { op: "jump"; to: number }
  | { readonly op: "save"; readonly slot: number }
  | { readonly op: "match" };

/** Instructions of one pattern: a match takes at most this many steps for each character of a line. */
const MOST_INSTRUCTIONS = 2_048;

interface Thread {
  readonly at: number;
  readonly slots: readonly number[];
}

/**
 * A regular expression that is matched in time linear to the text, whatever it is (a Pike machine): patterns come with
 * packages and texts from programs, and neither may stop the daemon.
 */
export class Pattern {
  readonly source: string;
  readonly groups: readonly (string | undefined)[];
  readonly #program: readonly Instruction[];
  readonly #ignoresCase: boolean;
  /** Characters that every match contains: what does not contain them is not looked at closer. */
  readonly #required: string;

  /** Fails with PatternError. */
  constructor(source: string) {
    const { root, groups, ignoresCase } = parsePattern(source);
    this.source = source;
    this.groups = groups;
    this.#ignoresCase = ignoresCase;
    this.#program = compile(root);
    this.#required = ignoresCase ? "" : longestLiteral(root);
  }

  /** The first match in a line, at or behind `from` (code points). */
  match(line: string, budget: MatchBudget, from = 0): PatternMatch | undefined {
    if (this.#required !== "" && !line.includes(this.#required)) {
      return undefined;
    }
    const characters = Array.from(line);
    const slots = this.#run(characters, budget, from);
    return slots === undefined ? undefined : this.#describe(characters, slots);
  }

  #describe(characters: readonly string[], slots: readonly number[]): PatternMatch {
    const cut = (slot: number): string | undefined => {
      const [start = -1, end = -1] = slots.slice(slot, slot + 2);
      return start < 0 || end < 0 ? undefined : characters.slice(start, end).join("");
    };
    const groups = this.groups.map((_, index) => cut(2 + 2 * index));
    const named = this.groups.map((name, index) => [name ?? "", groups[index]] as const);
    return {
      text: cut(0) ?? "",
      start: slots[0] ?? 0,
      end: slots[1] ?? 0,
      groups,
      named: Object.fromEntries(named.filter(([name]) => name !== "")),
    };
  }

  #run(characters: readonly string[], budget: MatchBudget, from: number): readonly number[] | undefined {
    const codes = characters.map((each) => (this.#ignoresCase ? each.toLowerCase() : each).codePointAt(0) ?? 0);
    let threads: Thread[] = [];
    let found: readonly number[] | undefined;
    for (let at = from; at <= codes.length && !budget.isSpent; at += 1) {
      if (found === undefined) {
        threads.push({ at: 0, slots: [] });
      }
      if (threads.length === 0) break;
      const ready = this.#follow(threads, { codes, at, budget });
      threads = [];
      for (const thread of ready) {
        const instruction = this.#program[thread.at];
        if (instruction?.op === "match") {
          // Threads behind this one have lower priority.
          found = withSlot(thread.slots, 1, at);
          break;
        }
        if (instruction?.op === "set" && at < codes.length && this.#isIn(instruction.set, codes[at] ?? 0)) {
          threads.push({ at: thread.at + 1, slots: thread.slots });
        }
      }
      budget.spend(ready.length + 1);
    }
    return found;
  }

  /** Follows all that takes no character; what is left waits for one, in order of priority. */
  #follow(threads: readonly Thread[], place: { codes: readonly number[]; at: number; budget: MatchBudget }): Thread[] {
    const seen = new Set<number>();
    const ready: Thread[] = [];
    for (const start of threads) {
      const isNew = start.at === 0 && start.slots.length === 0;
      const open: Thread[] = [isNew ? { at: 0, slots: [place.at] } : start];
      for (let thread = open.pop(); thread !== undefined; thread = open.pop()) {
        const instruction = this.#program[thread.at];
        if (instruction === undefined || seen.has(thread.at)) continue;
        seen.add(thread.at);
        const { slots } = thread;
        if (instruction.op === "split") {
          open.push({ at: instruction.second, slots }, { at: instruction.first, slots });
        } else if (instruction.op === "jump") {
          open.push({ at: instruction.to, slots });
        } else if (instruction.op === "save") {
          open.push({ at: thread.at + 1, slots: withSlot(slots, instruction.slot, place.at) });
        } else if (instruction.op === "assert") {
          if (holds(instruction.at, place)) open.push({ at: thread.at + 1, slots });
        } else {
          ready.push(thread);
        }
      }
    }
    place.budget.spend(seen.size);
    return ready;
  }

  #isIn({ ranges, isNegated }: CharacterSet, code: number): boolean {
    for (let index = 0; index < ranges.length; index += 2) {
      const low = ranges[index] ?? 0;
      const high = ranges[index + 1] ?? 0;
      if (code >= low && code <= high) return !isNegated;
      if (this.#ignoresCase && isUpperOf(code, low, high)) return !isNegated;
    }
    return isNegated;
  }
}

/** The text is in lower case; a range of the pattern may be in upper case. */
function isUpperOf(code: number, low: number, high: number): boolean {
  const upper = String.fromCodePoint(code).toUpperCase().codePointAt(0) ?? 0;
  return upper >= low && upper <= high;
}

function holds(what: "start" | "end" | "word", { codes, at }: { codes: readonly number[]; at: number }): boolean {
  if (what === "start") return at === 0;
  if (what === "end") return at === codes.length;
  return isWord(codes[at - 1]) !== isWord(codes[at]);
}

function isWord(code: number | undefined): boolean {
  return code !== undefined && /^\w$/.test(String.fromCodePoint(code));
}

function withSlot(slots: readonly number[], slot: number, at: number): readonly number[] {
  const changed = slots.slice();
  while (changed.length <= slot) changed.push(-1);
  changed[slot] = at;
  return changed;
}

function compile(root: PatternNode): readonly Instruction[] {
  const program: Instruction[] = [];
  emit(root, program);
  program.push({ op: "match" });
  return program;
}

function emit(node: PatternNode, program: Instruction[]): void {
  if (program.length > MOST_INSTRUCTIONS) {
    throw new PatternError("the pattern is too large when its repetitions are written out");
  }
  switch (node.kind) {
    case "set":
      program.push({ op: "set", set: node.set });
      return;
    case "assert":
      program.push({ op: "assert", at: node.at });
      return;
    case "sequence":
      for (const item of node.items) emit(item, program);
      return;
    case "group":
      program.push({ op: "save", slot: 2 + 2 * node.index });
      emit(node.item, program);
      program.push({ op: "save", slot: 3 + 2 * node.index });
      return;
    case "choice":
      emitChoice(node.items, program);
      return;
    case "repeat":
      emitRepeat(node, program);
      return;
  }
}

function emitChoice(items: readonly PatternNode[], program: Instruction[]): void {
  const jumps: { to: number }[] = [];
  items.forEach((item, index) => {
    const isLast = index === items.length - 1;
    const split = { op: "split" as const, first: program.length + 1, second: 0 };
    if (!isLast) program.push(split);
    emit(item, program);
    if (!isLast) {
      const jump = { op: "jump" as const, to: 0 };
      program.push(jump);
      jumps.push(jump);
      split.second = program.length;
    }
  });
  for (const jump of jumps) jump.to = program.length;
}

function emitRepeat({ item, min, max, isLazy }: PatternNode & { kind: "repeat" }, program: Instruction[]): void {
  for (let count = 0; count < min; count += 1) emit(item, program);
  if (max === Number.POSITIVE_INFINITY) {
    const start = program.length;
    const close = pushSplit(program, isLazy);
    emit(item, program);
    program.push({ op: "jump", to: start });
    close();
    return;
  }
  const closes: (() => void)[] = [];
  for (let count = min; count < max; count += 1) {
    closes.push(pushSplit(program, isLazy));
    emit(item, program);
  }
  for (const close of closes) close();
}

/** A fork between what comes next and what comes after `close` was called. */
function pushSplit(program: Instruction[], isLazy: boolean): () => void {
  const split = { op: "split" as const, first: program.length + 1, second: program.length + 1 };
  program.push(split);
  return () => {
    split[isLazy ? "first" : "second"] = program.length;
  };
}

/** The longest run of plain characters that no match can do without. */
function longestLiteral(root: PatternNode): string {
  let best = "";
  let run = "";
  const end = (): void => {
    best = run.length > best.length ? run : best;
    run = "";
  };
  const walk = (node: PatternNode): void => {
    if (node.kind === "sequence") {
      for (const item of node.items) walk(item);
    } else if (node.kind === "group") {
      walk(node.item);
    } else if (node.kind === "set" && !node.set.isNegated && isSingle(node.set)) {
      run += String.fromCodePoint(node.set.ranges[0] ?? 0);
    } else if (node.kind !== "assert") {
      end();
    }
  };
  walk(root);
  end();
  return best;
}

function isSingle({ ranges }: CharacterSet): boolean {
  return ranges.length === 2 && ranges[0] === ranges[1];
}
