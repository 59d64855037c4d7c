/** Variables whose values may be secret: nothing prints, stores or serializes them but by asking for them. */
export class SecretEnvironment {
  readonly #values: Readonly<Record<string, string>>;

  constructor(values: Readonly<Record<string, string>>) {
    this.#values = values;
  }

  get(variable: string): string | undefined {
    return Object.hasOwn(this.#values, variable) ? this.#values[variable] : undefined;
  }

  /** For the environment of a program that is about to be started, and for nothing else. */
  reveal(): Readonly<Record<string, string>> {
    return this.#values;
  }
}
