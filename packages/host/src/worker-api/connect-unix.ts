import type { Socket, SocketHandler } from "bun";
import { workerError } from "./worker-error.ts";

export interface ConnectOptions {
  readonly connectMs: number;
  readonly signal?: AbortSignal;
  readonly handlers: Pick<SocketHandler<undefined>, "data" | "drain" | "close" | "error">;
}

/** Connects to a Unix socket. Fails with worker_connect_failed, also when it takes longer than `connectMs`. */
export async function connectUnix(path: string, options: ConnectOptions): Promise<Socket<undefined>> {
  options.signal?.throwIfAborted();
  const attempt = Bun.connect({ unix: path, socket: { binaryType: "uint8array", ...options.handlers } });
  const abandoned = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => abandoned.reject(workerError("worker_connect_failed", "The worker does not accept connections.")),
    options.connectMs,
  );
  const onAbort = (): void => abandoned.reject(options.signal?.reason as Error);
  options.signal?.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([attempt, abandoned.promise]);
  } catch (cause) {
    void attempt.then((socket) => socket.end()).catch(() => undefined); // Given up: a late success is of no use.
    throw options.signal?.aborted || isWorkerFailure(cause)
      ? cause
      : workerError("worker_connect_failed", "The worker's socket can't be reached.", { cause });
  } finally {
    clearTimeout(timer);
    options.signal?.removeEventListener("abort", onAbort);
  }
}

function isWorkerFailure(cause: unknown): boolean {
  return (cause as { code?: unknown } | undefined)?.code === "worker_connect_failed";
}
