/** The pattern language of detection manifests, parsed: what a linear-time matcher can run, and no more. */
export type PatternNode =
  | { readonly kind: "set"; readonly set: CharacterSet }
  | { readonly kind: "assert"; readonly at: "start" | "end" | "word" }
  | { readonly kind: "sequence"; readonly items: readonly PatternNode[] }
  | { readonly kind: "choice"; readonly items: readonly PatternNode[] }
  | {
      readonly kind: "repeat";
      readonly item: PatternNode;
      readonly min: number;
      readonly max: number;
      readonly isLazy: boolean;
    }
  | { readonly kind: "group"; readonly item: PatternNode; readonly index: number };

export interface CharacterSet {
  /** Pairs of first and last code point. */
  readonly ranges: readonly number[];
  readonly isNegated: boolean;
}

export interface ParsedPattern {
  readonly root: PatternNode;
  /** Names of the capturing groups in order; undefined for one without a name. */
  readonly groups: readonly (string | undefined)[];
  readonly ignoresCase: boolean;
}

export class PatternError extends Error {
  override readonly name = "PatternError";
}

/** A count above this makes programs that are too large. */
const MOST_REPEATS = 256;
const MOST_DEPTH = 32;
const MOST_GROUPS = 16;

const DIGIT = [0x30, 0x39];
const WORD = [0x30, 0x39, 0x41, 0x5a, 0x5f, 0x5f, 0x61, 0x7a];
const SPACE = [0x09, 0x0d, 0x20, 0x20, 0xa0, 0xa0, 0x2000, 0x200a, 0x2028, 0x2029, 0x202f, 0x202f, 0x3000, 0x3000];
const CLASSES: Readonly<Record<string, CharacterSet>> = {
  d: { ranges: DIGIT, isNegated: false },
  D: { ranges: DIGIT, isNegated: true },
  w: { ranges: WORD, isNegated: false },
  W: { ranges: WORD, isNegated: true },
  s: { ranges: SPACE, isNegated: false },
  S: { ranges: SPACE, isNegated: true },
};
const ESCAPED: Readonly<Record<string, number>> = { t: 0x09, n: 0x0a, r: 0x0d };
const ANYTHING: CharacterSet = { ranges: [], isNegated: true };

/** Fails with PatternError for what is no pattern, and for back references and look-around, which need backtracking. */
export function parsePattern(source: string): ParsedPattern {
  return new Parser(source).parse();
}

class Parser {
  readonly #source: readonly string[];
  readonly #ignoresCase: boolean;
  readonly #groups: (string | undefined)[] = [];
  #at = 0;
  #depth = 0;

  constructor(source: string) {
    this.#ignoresCase = source.startsWith("(?i)");
    this.#source = Array.from(this.#ignoresCase ? source.slice("(?i)".length) : source);
  }

  parse(): ParsedPattern {
    const root = this.#choice();
    if (this.#at < this.#source.length) {
      throw new PatternError("a closing parenthesis has no opening one");
    }
    return { root, groups: this.#groups, ignoresCase: this.#ignoresCase };
  }

  #choice(): PatternNode {
    this.#depth += 1;
    if (this.#depth > MOST_DEPTH) {
      throw new PatternError("groups are nested too deeply");
    }
    const items = [this.#sequence()];
    while (this.#take("|")) {
      items.push(this.#sequence());
    }
    this.#depth -= 1;
    return items.length === 1 ? (items[0] as PatternNode) : { kind: "choice", items };
  }

  #sequence(): PatternNode {
    const items: PatternNode[] = [];
    for (let next = this.#peek(); next !== undefined && next !== "|" && next !== ")"; next = this.#peek()) {
      items.push(this.#repeated(this.#atom()));
    }
    return { kind: "sequence", items };
  }

  #repeated(item: PatternNode): PatternNode {
    const counts = this.#counts();
    if (counts === undefined) {
      return item;
    }
    if (item.kind === "assert") {
      throw new PatternError("an anchor can't be repeated");
    }
    const repeat: PatternNode = { kind: "repeat", item, ...counts, isLazy: this.#take("?") };
    if (this.#counts() !== undefined) {
      throw new PatternError("a repetition can't be repeated");
    }
    return repeat;
  }

  #counts(): { min: number; max: number } | undefined {
    if (this.#take("*")) return { min: 0, max: Number.POSITIVE_INFINITY };
    if (this.#take("+")) return { min: 1, max: Number.POSITIVE_INFINITY };
    if (this.#take("?")) return { min: 0, max: 1 };
    if (this.#peek() !== "{") return undefined;
    const end = this.#source.indexOf("}", this.#at);
    const found = /^\{(\d{1,3})(?:(,)(\d{0,3}))?\}$/.exec(this.#source.slice(this.#at, end + 1).join(""));
    if (found === null) {
      throw new PatternError("a brace must be a count, or be escaped");
    }
    this.#at = end + 1;
    const min = Number(found[1]);
    const most = found[3] === "" ? Number.POSITIVE_INFINITY : Number(found[3]);
    const max = found[2] === undefined ? min : most;
    if (max < min || min > MOST_REPEATS || (max !== Number.POSITIVE_INFINITY && max > MOST_REPEATS)) {
      throw new PatternError(`a count must be at most ${MOST_REPEATS} and not less than its minimum`);
    }
    return { min, max };
  }

  #atom(): PatternNode {
    const next = this.#next();
    switch (next) {
      case "^":
        return { kind: "assert", at: "start" };
      case "$":
        return { kind: "assert", at: "end" };
      case ".":
        return { kind: "set", set: ANYTHING };
      case "(":
        return this.#group();
      case "[":
        return { kind: "set", set: this.#set() };
      case "\\":
        return this.#peek() === "b" ? this.#wordBorder() : { kind: "set", set: this.#escape() };
      case "*":
      case "+":
      case "?":
      case "{":
        throw new PatternError(`${next} has nothing to repeat`);
      default:
        return { kind: "set", set: single(codeOf(next)) };
    }
  }

  #wordBorder(): PatternNode {
    this.#at += 1;
    return { kind: "assert", at: "word" };
  }

  #group(): PatternNode {
    let name: string | undefined;
    let isCapturing = true;
    if (this.#take("?")) {
      if (this.#take(":")) {
        isCapturing = false;
      } else {
        name = this.#groupName();
      }
    }
    const index = this.#groups.length;
    if (isCapturing) {
      if (index >= MOST_GROUPS || (name !== undefined && this.#groups.includes(name))) {
        throw new PatternError(`there may be ${MOST_GROUPS} groups, each name once`);
      }
      this.#groups.push(name);
    }
    const item = this.#choice();
    if (!this.#take(")")) {
      throw new PatternError("a group is not closed");
    }
    return isCapturing ? { kind: "group", item, index } : item;
  }

  #groupName(): string {
    const end = this.#source.indexOf(">", this.#at);
    const found = /^<([a-z_]{1,32})>$/.exec(this.#source.slice(this.#at, end + 1).join(""));
    if (found === null) {
      throw new PatternError("only (...), (?:...) and (?<name>...) are groups: there is no look-around");
    }
    this.#at = end + 1;
    return found[1] ?? "";
  }

  #set(): CharacterSet {
    const isNegated = this.#take("^");
    const ranges: number[] = [];
    for (let isFirst = true; isFirst || this.#peek() !== "]"; isFirst = false) {
      const low = this.#setMember();
      if (low.ranges.length !== 2 || low.ranges[0] !== low.ranges[1] || !this.#isRange()) {
        ranges.push(...low.ranges);
        continue;
      }
      this.#at += 1;
      const high = this.#setMember().ranges;
      const [first, last] = [low.ranges[0] ?? 0, high[0] ?? 0];
      if (high.length !== 2 || last < first) {
        throw new PatternError("a range of characters is the wrong way round");
      }
      ranges.push(first, last);
    }
    this.#at += 1;
    return { ranges, isNegated };
  }

  #isRange(): boolean {
    const after = this.#source[this.#at + 1];
    return this.#peek() === "-" && after !== undefined && after !== "]";
  }

  #setMember(): CharacterSet {
    const next = this.#next();
    const set = next === "\\" ? this.#escape() : single(codeOf(next));
    if (set.isNegated) {
      throw new PatternError("a negated class can't stand in brackets");
    }
    return set;
  }

  #escape(): CharacterSet {
    const next = this.#next();
    const set = CLASSES[next];
    if (set !== undefined) return set;
    if (next === "u") return single(this.#unicode());
    const control = ESCAPED[next];
    if (control !== undefined) return single(control);
    if (/^[A-Za-z0-9]$/.test(next)) {
      throw new PatternError(`\\${next} means nothing here`);
    }
    return single(codeOf(next));
  }

  #unicode(): number {
    const rest = this.#source.slice(this.#at, this.#at + 10).join("");
    const found = /^(?:\{([0-9a-fA-F]{1,6})\}|([0-9a-fA-F]{4}))/.exec(rest);
    const code = Number.parseInt(found?.[1] ?? found?.[2] ?? "", 16);
    if (found === null || code > 0x10ffff) {
      throw new PatternError("\\u needs four digits, or up to six in braces");
    }
    this.#at += found[0].length;
    return code;
  }

  #peek(): string | undefined {
    return this.#source[this.#at];
  }

  #next(): string {
    const next = this.#source[this.#at];
    if (next === undefined) {
      throw new PatternError("the pattern ends too early");
    }
    this.#at += 1;
    return next;
  }

  #take(expected: string): boolean {
    const isThere = this.#peek() === expected;
    this.#at += isThere ? 1 : 0;
    return isThere;
  }
}

function codeOf(character: string): number {
  return character.codePointAt(0) ?? 0;
}

function single(code: number): CharacterSet {
  return { ranges: [code, code], isNegated: false };
}
