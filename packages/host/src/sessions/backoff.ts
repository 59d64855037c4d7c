/** Waits between tries of something that must succeed in the end. */
const FIRST_MS = 1000;
const LAST_MS = 60_000;

/** Waits, or returns early when `signal` aborts. */
export async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) {
    return;
  }
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  const onAbort = (): void => resolve();
  signal.addEventListener("abort", onAbort, { once: true });
  await promise;
  clearTimeout(timer);
  signal.removeEventListener("abort", onAbort);
}

/** Runs tasks again and again, 1 s to 60 s apart, until they say that they are done. Disposing of it ends the waiting. */
export class Retries implements AsyncDisposable {
  readonly #ending = new AbortController();
  readonly #running = new Map<string, Promise<void>>();

  /** Tries `task` after a first wait. A task of the same key that is being tried already stays the only one. */
  begin(key: string, task: () => Promise<boolean>): void {
    if (this.#running.has(key) || this.#ending.signal.aborted) {
      return;
    }
    const tries = this.#try(task).finally(() => this.#running.delete(key));
    this.#running.set(key, tries);
  }

  async #try(task: () => Promise<boolean>): Promise<void> {
    const { signal } = this.#ending;
    for (let wait = FIRST_MS; ; wait = Math.min(wait * 2, LAST_MS)) {
      await sleep(wait, signal);
      if (signal.aborted || (await task())) {
        return;
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    await Promise.allSettled(this.#running.values());
  }
}
