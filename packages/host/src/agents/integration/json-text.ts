/** A value in a JSON text, with the place where it stands. Comments and a comma too many are taken as blanks. */
export type JsonNode =
  | { readonly kind: "object"; readonly start: number; readonly end: number; readonly members: readonly JsonMember[] }
  | { readonly kind: "array"; readonly start: number; readonly end: number; readonly items: readonly JsonNode[] }
  | { readonly kind: "scalar"; readonly start: number; readonly end: number; readonly value: unknown };

export interface JsonMember {
  readonly key: string;
  readonly start: number;
  readonly value: JsonNode;
}

export type JsonObjectNode = Extract<JsonNode, { readonly kind: "object" }>;

const BLANK = /(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y;
const SCALAR = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null/y;
const DEPTH = 64;

/** Throws SyntaxError for what is no JSON, and for what is nested deeper than settings are. */
export function parseJsonText(text: string): JsonNode {
  const reader = new Reader(text);
  const node = reader.value(0);
  reader.end();
  return node;
}

/** The value of a node, as JSON.parse would give it. */
export function valueOf(node: JsonNode): unknown {
  switch (node.kind) {
    case "object":
      return Object.fromEntries(node.members.map(({ key, value }) => [key, valueOf(value)]));
    case "array":
      return node.items.map(valueOf);
    case "scalar":
      return node.value;
  }
}

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(depth: number): JsonNode {
    if (depth > DEPTH) {
      throw new SyntaxError("nested too deeply");
    }
    this.#skip();
    const start = this.#at;
    if (this.#take("{")) {
      const members = this.#list("}", () => this.#member(depth));
      return { kind: "object", start, end: this.#at, members };
    }
    if (this.#take("[")) {
      const items = this.#list("]", () => this.value(depth + 1));
      return { kind: "array", start, end: this.#at, items };
    }
    const value: unknown = JSON.parse(this.#scalar());
    return { kind: "scalar", start, end: this.#at, value };
  }

  end(): void {
    this.#skip();
    if (this.#at < this.#text.length) {
      throw new SyntaxError("something follows the value");
    }
  }

  #member(depth: number): JsonMember {
    const start = this.#at;
    const key: unknown = JSON.parse(this.#scalar());
    this.#skip();
    if (typeof key !== "string" || !this.#take(":")) {
      throw new SyntaxError("a member has no name");
    }
    return { key, start, value: this.value(depth + 1) };
  }

  #list<Item>(close: string, read: () => Item): readonly Item[] {
    const items: Item[] = [];
    for (;;) {
      this.#skip();
      if (this.#take(close)) {
        return items;
      }
      items.push(read());
      this.#skip();
      if (!this.#take(",")) {
        if (!this.#take(close)) {
          throw new SyntaxError("a list does not end");
        }
        return items;
      }
    }
  }

  #scalar(): string {
    SCALAR.lastIndex = this.#at;
    const found = SCALAR.exec(this.#text)?.[0];
    if (found === undefined) {
      throw new SyntaxError("a value is missing");
    }
    this.#at += found.length;
    return found;
  }

  #take(character: string): boolean {
    const isThere = this.#text[this.#at] === character;
    this.#at += isThere ? 1 : 0;
    return isThere;
  }

  #skip(): void {
    BLANK.lastIndex = this.#at;
    this.#at += BLANK.exec(this.#text)?.[0].length ?? 0;
  }
}
