/** Wakes those who wait for a change of one session. Waiting costs nothing while nothing happens. */
export class Changes {
  readonly #listeners = new Map<string, Set<() => void>>();

  /** Something about this session is different now. */
  notify(sessionId: string): void {
    for (const listener of this.#listeners.get(sessionId) ?? []) {
      listener();
    }
  }

  /** Calls `listener` at each change until it is disposed of. A listener must not throw. */
  listen(sessionId: string, listener: () => void): Disposable {
    const listeners = this.#listeners.get(sessionId) ?? new Set();
    this.#listeners.set(sessionId, listeners.add(listener));
    return {
      [Symbol.dispose]: () => {
        listeners.delete(listener);
        if (listeners.size === 0 && this.#listeners.get(sessionId) === listeners) {
          this.#listeners.delete(sessionId);
        }
      },
    };
  }

  /**
   * Waits until `check` gives something, looking once now and again after each change. Undefined when `timeoutMs` passed
   * or `signal` was aborted first. The look happens after listening has begun, so no change falls in between.
   */
  async until<Found>(
    sessionId: string,
    check: () => Found | undefined,
    options: { timeoutMs: number; signal?: AbortSignal },
  ): Promise<Found | undefined> {
    const { promise, resolve, reject } = Promise.withResolvers<Found | undefined>();
    const look = (): void => {
      try {
        const found = check();
        if (found !== undefined) {
          resolve(found);
        }
      } catch (cause) {
        // The check's own refusal (the session is gone) is the answer of the wait.
        reject(cause);
      }
    };
    using _listening = this.listen(sessionId, look);
    const timer = setTimeout(() => resolve(undefined), options.timeoutMs);
    const onAbort = (): void => resolve(undefined);
    options.signal?.addEventListener("abort", onAbort, { once: true });
    try {
      if (options.signal?.aborted) {
        return undefined;
      }
      look();
      return await promise;
    } finally {
      clearTimeout(timer);
      options.signal?.removeEventListener("abort", onAbort);
    }
  }
}
