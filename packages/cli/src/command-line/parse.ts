import { protocolError } from "@pohunek/protocol/wire";
import type { Command, Invocation } from "./command.ts";
import { parseDuration } from "./duration.ts";
import type { Flag, Flags } from "./flag.ts";
import { flagText } from "./flag.ts";
import { closestName } from "./suggestion.ts";

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
  /** The words that named the command. */
  readonly commandWords: readonly string[];
  readonly invocation: Invocation;
}

export const GLOBAL_FLAGS = {
  json: { type: "switch", summary: "Print one JSON document" },
  host: { type: "text", value: "HOST", summary: "The host to ask; only `local` so far" },
  help: { type: "switch", short: "h", summary: "Show help" },
  version: { type: "switch", short: "V", summary: "Show the version" },
} as const satisfies Flags;

export function usageError(message: string, recover?: string): Error {
  return protocolError("cli_usage", { message, recover });
}

/** True when `--json` stands before `--`: also usage errors are then told as JSON. */
export function asksForJson(words: readonly string[]): boolean {
  const end = words.indexOf("--");
  return (end === -1 ? words : words.slice(0, end)).includes("--json");
}

/** Reads a whole command line. Throws `cli_usage`. */
export function parseCommandLine(words: readonly string[], commands: readonly Command[]): ParsedLine {
  return new LineParser(words, commands).parse();
}

class LineParser {
  readonly #words: readonly string[];
  readonly #commands: readonly Command[];
  readonly #values = new Map<string, unknown>();
  readonly #positional: string[] = [];
  #command: Command | undefined;
  #commandWords: readonly string[] = [];
  #index = 0;

  constructor(words: readonly string[], commands: readonly Command[]) {
    this.#words = words;
    this.#commands = commands;
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
    if (this.#command === undefined) {
      this.#index -= 1;
      this.#findCommand();
      return false;
    }
    this.#positional.push(word);
    if (this.#command.stopsAtFirstWord !== true) return false;
    // `run vim -R file`: everything from here on is the program's; a `--` after it is the program's too.
    this.#positional.push(...this.#words.slice(this.#index));
    return true;
  }

  #findCommand(): void {
    const rest = this.#words.slice(this.#index);
    for (let count = Math.min(rest.length, 3); count > 0; count -= 1) {
      const name = rest.slice(0, count).join(" ");
      const found = this.#commands.find((one) => one.name === name || one.aliases?.includes(name));
      if (found === undefined) continue;
      this.#command = found;
      this.#commandWords = rest.slice(0, count);
      this.#index += count;
      return;
    }
    throw this.#unknownCommand(rest);
  }

  #unknownCommand(rest: readonly string[]): Error {
    const first = rest[0] as string;
    const names = this.#commands
      .filter((one) => one.isHidden !== true)
      .flatMap((one) => [one.name, ...(one.aliases ?? [])]);
    const members = names.filter((name) => name.startsWith(`${first} `)).map((name) => name.slice(first.length + 1));
    if (members.length > 0) {
      const second = rest[1];
      const problem =
        second === undefined || second.startsWith("-")
          ? `${first} needs a second word`
          : `there is no command "${first} ${second}"`;
      return usageError(`${problem}: ${[...new Set(members)].join(", ")}`, `pohunek help ${first}`);
    }
    const near = closestName(first, names);
    return usageError(
      `there is no command "${first}"`,
      near === undefined ? "pohunek help" : `did you mean: pohunek ${near}`,
    );
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
    return {
      global,
      command: this.#command,
      commandWords: this.#commandWords,
      invocation: { flags, words: this.#positional },
    };
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
