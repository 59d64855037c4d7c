/** What may end a wait early. */
export interface Cancellation {
  readonly signal?: AbortSignal | undefined;
}

/** A bound on the time that something may take. */
export interface Deadline {
  readonly timeoutMs: number;
  /** The error of an elapsed deadline. */
  readonly onTimeout: () => Error;
}

/**
 * Waits for a promise no longer than the deadline and the signal allow. What is still running then is left to its owner;
 * `onGivenUp` tells it. The timer is gone when this settles.
 */
export async function settleWithin<Value>(
  work: Promise<Value>,
  deadline: Deadline,
  { signal, onGivenUp }: Cancellation & { readonly onGivenUp?: () => void } = {},
): Promise<Value> {
  signal?.throwIfAborted();
  let giveUp: (cause: Error) => void = () => undefined;
  const givenUp = new Promise<never>((_resolve, reject) => {
    giveUp = (cause) => {
      onGivenUp?.();
      reject(cause);
    };
  });
  const onAbort = (): void => giveUp(signal?.reason as Error);
  const timer = setTimeout(() => giveUp(deadline.onTimeout()), deadline.timeoutMs);
  signal?.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([work, givenUp]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
  }
}
