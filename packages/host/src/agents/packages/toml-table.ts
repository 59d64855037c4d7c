import type { ErrorCode } from "@pohunek/protocol/wire";
import { protocolError } from "@pohunek/protocol/wire";

/** What a string field may hold. */
export interface TextRule {
  readonly maxBytes: number;
  /** Checked on the whole value. */
  readonly pattern?: RegExp;
  /** What the pattern means, for the message. */
  readonly meaning?: string;
  /** Control characters are refused unless the field is made of them. */
  readonly isKeys?: boolean;
}

type Table = Readonly<Record<string, unknown>>;

/** C0 and DEL, C1, and the separators that end a line. */
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;

/**
 * Reads a parsed TOML table field by field. What no reader asked for is refused by `end`, so a misspelt field is never
 * ignored. A message names the field and what is wrong with it, never what it holds.
 */
export class TomlTable {
  readonly #path: string;
  readonly #table: Table;
  readonly #code: ErrorCode;
  readonly #seen = new Set<string>();

  constructor(table: unknown, code: ErrorCode, path = "") {
    this.#path = path;
    this.#code = code;
    if (!isTable(table)) throw this.wrong("", "must be a table");
    this.#table = table;
  }

  has(name: string): boolean {
    return Object.hasOwn(this.#table, name);
  }

  text(name: string, rule: TextRule): string {
    return this.#checkText(name, this.#take(name), rule);
  }

  optionalText(name: string, rule: TextRule): string | undefined {
    return this.has(name) ? this.text(name, rule) : undefined;
  }

  choice<Value extends string>(name: string, values: readonly Value[]): Value {
    const value = this.#take(name);
    const found = values.find((candidate) => candidate === value);
    if (found === undefined) throw this.wrong(name, `must be one of ${values.join(", ")}`);
    return found;
  }

  flag(name: string, absent: boolean): boolean {
    if (!this.has(name)) return absent;
    const value = this.#take(name);
    if (typeof value !== "boolean") throw this.wrong(name, "must be true or false");
    return value;
  }

  integer(name: string, range: { readonly min: number; readonly max: number; readonly absent: number }): number {
    if (!this.has(name)) return range.absent;
    const value = this.#take(name);
    if (typeof value !== "number" || !Number.isInteger(value) || value < range.min || value > range.max) {
      throw this.wrong(name, `must be a whole number from ${range.min} to ${range.max}`);
    }
    return value;
  }

  texts(name: string, rule: TextRule & { readonly min: number; readonly max: number }): readonly string[] {
    const value = this.#take(name);
    if (!Array.isArray(value) || value.length < rule.min || value.length > rule.max) {
      throw this.wrong(name, `must be a list of ${rule.min} to ${rule.max} strings`);
    }
    return value.map((item: unknown) => this.#checkText(name, item, rule));
  }

  /** A table of strings. */
  entries(
    name: string,
    rule: { readonly key: RegExp; readonly value: TextRule; readonly max: number },
  ): Readonly<Record<string, string>> {
    if (!this.has(name)) return {};
    const value = this.#take(name);
    if (!isTable(value)) throw this.wrong(name, "must be a table");
    const keys = Object.keys(value);
    if (keys.length > rule.max) throw this.wrong(name, `may have at most ${rule.max} entries`);
    if (keys.some((key) => !rule.key.test(key))) throw this.wrong(name, "has a key that is not allowed");
    return Object.fromEntries(keys.map((key) => [key, this.#checkText(name, value[key], rule.value)]));
  }

  table(name: string): TomlTable {
    return new TomlTable(this.#take(name), this.#code, this.#pathOf(name));
  }

  optionalTable(name: string): TomlTable | undefined {
    return this.has(name) ? this.table(name) : undefined;
  }

  /** Refuses every field that was not asked for. */
  end(): void {
    const unknown = Object.keys(this.#table).filter((name) => !this.#seen.has(name));
    if (unknown.length === 0) return;
    const [first = ""] = unknown;
    // The name itself comes from the file, so it is shown only when it looks like one.
    throw /^[a-z_]{1,40}$/.test(first)
      ? this.wrong(first, "is not a known field")
      : this.wrong("", "has an unknown field");
  }

  wrong(name: string, what: string): Error {
    const path = this.#pathOf(name);
    return protocolError(this.#code, { message: `${path === "" ? "the file" : path} ${what}` });
  }

  #pathOf(name: string): string {
    return [this.#path, name].filter((part) => part !== "").join(".");
  }

  #take(name: string): unknown {
    this.#seen.add(name);
    if (!this.has(name)) throw this.wrong(name, "is missing");
    return this.#table[name];
  }

  #checkText(name: string, value: unknown, { maxBytes, pattern, meaning, isKeys = false }: TextRule): string {
    if (typeof value !== "string") throw this.wrong(name, "must be a string");
    if (value === "" || Buffer.byteLength(value) > maxBytes) throw this.wrong(name, `must have 1 to ${maxBytes} bytes`);
    if (!isKeys && CONTROLS.test(value)) throw this.wrong(name, "may not hold control characters");
    if (!value.isWellFormed()) throw this.wrong(name, "must be valid Unicode");
    if (pattern !== undefined && !pattern.test(value))
      throw this.wrong(name, `must be ${meaning ?? "of another form"}`);
    return value;
  }
}

function isTable(value: unknown): value is Table {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
