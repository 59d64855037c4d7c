import type { StrictJson } from "./strict-json.ts";

/** A document is not in its form. The message says which part. */
export class FormError extends Error {}

/** Reads a strict JSON object whose keys are exactly the ones that are asked for. */
export class StrictRecord {
  readonly #name: string;
  readonly #fields: { readonly [key: string]: StrictJson };

  constructor(value: StrictJson | undefined, name: string, keys: readonly string[]) {
    this.#name = name;
    if (typeof value !== "object" || value === null || Array.isArray(value))
      throw new FormError(`${name} is no object`);
    this.#fields = value as { readonly [key: string]: StrictJson };
    const found = Object.keys(this.#fields).toSorted();
    if (found.join() !== keys.toSorted().join()) throw new FormError(`${name} has not exactly the known fields`);
  }

  text(key: string, pattern: RegExp): string {
    const value = this.#fields[key];
    if (typeof value !== "string" || !pattern.test(value))
      throw new FormError(`${this.#name}.${key} is not in its form`);
    return value;
  }

  integer(key: string): number {
    const value = this.#fields[key];
    if (typeof value !== "number") throw new FormError(`${this.#name}.${key} is no number`);
    return value;
  }

  flag(key: string): boolean {
    const value = this.#fields[key];
    if (typeof value !== "boolean") throw new FormError(`${this.#name}.${key} is neither true nor false`);
    return value;
  }

  list<Item>(key: string, max: number, read: (item: StrictJson) => Item): readonly Item[] {
    const value = this.#fields[key];
    if (!Array.isArray(value) || value.length > max) {
      throw new FormError(`${this.#name}.${key} is no list of at most ${max}`);
    }
    return (value as readonly StrictJson[]).map((item) => read(item));
  }

  texts(key: string, max: number, pattern: RegExp): readonly string[] {
    return this.list(key, max, (item) => {
      if (typeof item !== "string" || !pattern.test(item))
        throw new FormError(`${this.#name}.${key} holds another form`);
      return item;
    });
  }
}
