import { workerError } from "./worker-error.ts";

export interface Bound {
  readonly ms: number;
  readonly signal?: AbortSignal;
}

/**
 * What a worker answers, if it does so in time: else worker_connect_failed, or the reason of an aborted signal. The work
 * itself goes on; what comes of it then is nobody's concern.
 */
export async function within<Value>(work: Promise<Value>, { ms, signal }: Bound): Promise<Value> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(workerError("worker_connect_failed", "The worker did not answer in time.")),
    ms,
  );
  const onAbort = (): void => reject(signal?.reason as Error);
  signal?.addEventListener("abort", onAbort, { once: true });
  try {
    if (signal?.aborted) {
      onAbort();
    }
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
  }
}

/** Whether `work` comes to an end, good or bad, in this time. */
export async function settlesWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), ms);
  const settle = (): void => resolve(true);
  work.then(settle, settle);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
  }
}
