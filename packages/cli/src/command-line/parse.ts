import type { Command, Invocation } from "./command.ts";
import { parseDuration } from "./duration.ts";
import type { Flag, Flags } from "./flag.ts";
import { flagText } from "./flag.ts";
import type { Route } from "./route.ts";
import { findRoute } from "./route.ts";
import { closestName } from "./suggestion.ts";
import { usageError } from "./usage-error.ts";

/** Flags that every command takes. */
export interface GlobalFlags {
  readonly json: boolean;
  readonly help: boolean;
  readonly version: boolean;
  readonly host: string | undefined;
}

export interface ParsedLine {
  readonly global: GlobalFlags;
  /** Undefined when no command was named. */
  readonly command: Command | undefined;
  readonly invocation: Invocation;
}

export const GLOBAL_FLAGS = {
  json: { type: "switch", summary: "Print one JSON document" },
  host: { type: "text", value: "HOST", summary: "The host to ask; only `local` so far" },
  help: { type: "switch", short: "h", summary: "Show help" },
  version: { type: "switch", short: "V", summary: "Show the version" },
} as const satisfies Flags;

/** True when `--json` stands before `--`: also usage errors are then told as JSON. */
export function asksForJson(words: readonly string[]): boolean {
  const end = words.indexOf("--");
  return (end === -1 ? words : words.slice(0, end)).includes("--json");
}

/** Reads a whole command line. Throws `cli_usage`. */
export async function parseCommandLine(words: readonly string[], routes: readonly Route[]): Promise<ParsedLine> {
  const found = findRoute(words, routes);
  return new LineParser(found.rest, await found.route?.load()).parse();
}

class LineParser {
  readonly #words: readonly string[];
  readonly #command: Command | undefined;
  readonly #values = new Map<string, unknown>();
  readonly #positional: string[] = [];
  #index = 0;

  constructor(words: readonly string[], command: Command | undefined) {
    this.#words = words;
    this.#command = command;
  }

  parse(): ParsedLine {
    while (this.#index < this.#words.length) {
      const word = this.#words[this.#index] as string;
      this.#index += 1;
      if (word === "--") {
        this.#positional.push(...this.#words.slice(this.#index));
        break;
      }
      if (word.startsWith("--")) this.#takeLong(word);
      else if (word.startsWith("-") && word.length > 1) this.#takeShort(word);
      else if (this.#takeWord(word)) break;
    }
    return this.#finish();
  }

  /** Takes a plain word. True when the rest of the line belongs to another program. */
  #takeWord(word: string): boolean {
    this.#positional.push(word);
    if (this.#command?.stopsAtFirstWord !== true) return false;
    // `run vim -R file`: everything from here on is the program's; a `--` after it is the program's too.
    this.#positional.push(...this.#words.slice(this.#index));
    return true;
  }

  #takeLong(word: string): void {
    const equals = word.indexOf("=");
    const text = equals === -1 ? word : word.slice(0, equals);
    const entry = this.#flagEntries().find(([name]) => flagText(name) === text);
    if (entry === undefined) throw this.#unknownFlag(text);
    const [name, flag] = entry;
    if (flag.type === "switch") {
      if (equals !== -1) throw usageError(`${text} takes no value`, this.#helpHint());
      this.#values.set(name, true);
      return;
    }
    const value = equals === -1 ? this.#words[this.#index] : word.slice(equals + 1);
    if (equals === -1) this.#index += 1;
    if (value === undefined) throw usageError(`${text} needs a value (${flag.value})`, this.#helpHint());
    this.#store(name, flag, value);
  }

  #takeShort(word: string): void {
    for (let at = 1; at < word.length; at += 1) {
      const letter = word[at] as string;
      const entry = this.#flagEntries().find(([, flag]) => flag.short === letter);
      if (entry === undefined) throw this.#unknownFlag(`-${letter}`);
      const [name, flag] = entry;
      if (flag.type === "switch") {
        this.#values.set(name, true);
        continue;
      }
      const attached = word.slice(at + 1);
      const value = attached === "" ? this.#words[this.#index] : attached;
      if (attached === "") this.#index += 1;
      if (value === undefined) throw usageError(`-${letter} needs a value (${flag.value})`, this.#helpHint());
      this.#store(name, flag, value);
      return;
    }
  }

  #store(name: string, flag: Exclude<Flag, { type: "switch" }>, value: string): void {
    const text = flagText(name);
    const before = this.#values.get(name);
    switch (flag.type) {
      case "text":
      case "list":
        if (flag.choices !== undefined && !flag.choices.includes(value)) {
          throw usageError(`${text} must be one of: ${flag.choices.join(", ")}`, this.#helpHint());
        }
        this.#values.set(name, flag.type === "text" ? value : [...((before as string[] | undefined) ?? []), value]);
        return;
      case "integer":
        this.#values.set(name, parseInteger(text, value, flag.range));
        return;
      case "duration": {
        const milliseconds = parseDuration(value);
        if (milliseconds === undefined) throw usageError(`${text} must be a time such as 500ms, 30s, 5m or 1h`);
        this.#values.set(name, milliseconds);
        return;
      }
      case "pairs": {
        const equals = value.indexOf("=");
        if (equals < 1) throw usageError(`${text} must be ${flag.value}`);
        // No prototype, so that a key such as `__proto__` is a key like any other.
        const pairs = Object.assign(Object.create(null) as Record<string, string>, before);
        pairs[value.slice(0, equals)] = value.slice(equals + 1);
        this.#values.set(name, pairs);
      }
    }
  }

  #flagEntries(): [string, Flag][] {
    return [...Object.entries(this.#command?.flags ?? {}), ...Object.entries(GLOBAL_FLAGS)];
  }

  #unknownFlag(text: string): Error {
    const names = this.#flagEntries().map(([name]) => flagText(name));
    const near = closestName(text, names);
    const where = this.#command === undefined ? "" : ` for ${this.#command.name}`;
    return usageError(
      `there is no flag ${text}${where}`,
      near === undefined ? this.#helpHint() : `did you mean: ${near}`,
    );
  }

  #helpHint(): string {
    return this.#command === undefined ? "pohunek help" : `pohunek help ${this.#command.name}`;
  }

  #finish(): ParsedLine {
    const global: GlobalFlags = {
      json: this.#values.get("json") === true,
      help: this.#values.get("help") === true,
      version: this.#values.get("version") === true,
      host: this.#values.get("host") as string | undefined,
    };
    if (this.#command !== undefined && !global.help && !global.version) this.#checkWords(this.#command, global);
    const flags = flagValues(this.#command?.flags ?? {}, this.#values);
    return { global, command: this.#command, invocation: { flags, words: this.#positional } };
  }

  #checkWords(found: Command, global: GlobalFlags): void {
    if (global.json && found.output === "terminal") {
      throw usageError(`${found.name} works on the terminal itself and has no JSON form`, this.#helpHint());
    }
    const wanted = found.arguments ?? [];
    const missing = wanted.find(
      (argument, index) => argument.isOptional !== true && this.#positional[index] === undefined,
    );
    if (missing !== undefined) throw usageError(`${found.name} needs <${missing.name}>`, this.#helpHint());
    const hasRest = wanted.some((argument) => argument.isRest === true);
    const extra = hasRest ? undefined : this.#positional[wanted.length];
    if (extra !== undefined) throw usageError(`${found.name} does not take "${extra}"`, this.#helpHint());
  }
}

function parseInteger(text: string, value: string, [minimum, maximum]: readonly [number, number]): number {
  const number = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
  if (!(number >= minimum && number <= maximum)) {
    throw usageError(`${text} must be a whole number from ${minimum} to ${maximum}`);
  }
  return number;
}

/** Gives every flag of the command a value: what was said, or the empty value of its type. */
function flagValues(flags: Flags, values: ReadonlyMap<string, unknown>): Invocation["flags"] {
  const result: Record<string, unknown> = {};
  for (const [name, flag] of Object.entries(flags)) result[name] = values.get(name) ?? emptyValue(flag);
  return result as Invocation["flags"];
}

function emptyValue(flag: Flag): unknown {
  switch (flag.type) {
    case "switch":
      return false;
    case "list":
      return [];
    case "pairs":
      return {};
    default:
      return undefined;
  }
}
