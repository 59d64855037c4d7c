/** JSON as signed documents may hold it: no key twice, no fractions, no exponents, no negative numbers, no deep nesting. */

export type StrictJson =
  | string
  | number
  | boolean
  | null
  | readonly StrictJson[]
  | { readonly [key: string]: StrictJson };

const MAX_DEPTH = 16;
const WORD = /(?:true|false|null)(?![\w.+-])/y;
const INTEGER = /(?:0|[1-9]\d*)(?![\w.+-])/y;
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const SPACE = /[ \t\n\r]*/y;

/** Undefined when the text is not such JSON. */
export function parseStrictJson(text: string): StrictJson | undefined {
  return new Reader(text).read();
}

class Refusal extends Error {}

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  read(): StrictJson | undefined {
    try {
      const value = this.#value(0);
      this.#match(SPACE);
      return this.#at === this.#text.length ? value : undefined;
    } catch (cause) {
      if (cause instanceof Refusal) return undefined;
      throw cause;
    }
  }

  #value(depth: number): StrictJson {
    if (depth > MAX_DEPTH) throw new Refusal();
    this.#match(SPACE);
    const first = this.#text[this.#at];
    if (first === "{") return this.#object(depth);
    if (first === "[") return this.#array(depth);
    if (first === '"') return this.#string();
    const word = this.#match(WORD);
    if (word !== undefined) return JSON.parse(word) as boolean | null;
    const number = Number(this.#match(INTEGER) ?? Number.NaN);
    if (!Number.isSafeInteger(number)) throw new Refusal();
    return number;
  }

  #object(depth: number): StrictJson {
    const entries = new Map<string, StrictJson>();
    this.#list("}", () => {
      const key = this.#string();
      this.#match(SPACE);
      this.#expect(":");
      if (entries.has(key) || key === "__proto__") throw new Refusal();
      entries.set(key, this.#value(depth + 1));
    });
    return Object.fromEntries(entries);
  }

  #array(depth: number): StrictJson {
    const items: StrictJson[] = [];
    this.#list("]", () => items.push(this.#value(depth + 1)));
    return items;
  }

  #list(end: string, readItem: () => void): void {
    this.#at += 1;
    this.#match(SPACE);
    if (this.#text[this.#at] === end) {
      this.#at += 1;
      return;
    }
    for (;;) {
      this.#match(SPACE);
      readItem();
      this.#match(SPACE);
      if (this.#text[this.#at] === end) {
        this.#at += 1;
        return;
      }
      this.#expect(",");
    }
  }

  #string(): string {
    const text = this.#match(STRING);
    if (text === undefined) throw new Refusal();
    const value = JSON.parse(text) as string;
    if (!value.isWellFormed()) throw new Refusal();
    return value;
  }

  #expect(character: string): void {
    if (this.#text[this.#at] !== character) throw new Refusal();
    this.#at += 1;
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    this.#at += found?.length ?? 0;
    return found;
  }
}
