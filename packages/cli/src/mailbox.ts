/** What happens outside, kept in order until somebody asks for the next. */
export class Mailbox<Item> {
  readonly #items: Item[] = [];
  #waiting: ((item: Item) => void) | undefined;

  put(item: Item): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting === undefined) this.#items.push(item);
    else waiting(item);
  }

  /** The next item; undefined when none has come within the time. One caller at a time. */
  next(): Promise<Item>;
  next(timeoutMs: number): Promise<Item | undefined>;
  next(timeoutMs?: number): Promise<Item | undefined> {
    const item = this.#items.shift();
    if (item !== undefined) return Promise.resolve(item);
    return new Promise((resolve) => {
      const timer = timeoutMs === undefined ? undefined : setTimeout(() => this.#giveUp(resolve), timeoutMs);
      this.#waiting = (arrived) => {
        clearTimeout(timer);
        resolve(arrived);
      };
    });
  }

  #giveUp(resolve: (nothing: undefined) => void): void {
    this.#waiting = undefined;
    resolve(undefined);
  }
}
