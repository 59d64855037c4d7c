import type { Cancellation } from "./cancellation.ts";
import { settleWithin } from "./cancellation.ts";
import { connectFailure, peerError } from "./failures.ts";
import type { ByteStream, Purpose, Transport } from "./transport.ts";

/** A socket on the same machine or overlay connects at once; longer means that the host is asleep or gone. */
export const CONNECT_TIMEOUT_MS = 5_000;

export interface DialOptions extends Cancellation {
  readonly purpose: Purpose;
  readonly timeoutMs: number;
}

/** Opens a connection within a bound on time, with failures told in the protocol's own codes. */
export async function dial(transport: Transport, options: DialOptions): Promise<ByteStream> {
  const { purpose, timeoutMs, signal } = options;
  const attempt = new AbortController();
  const peer = { host: transport.host };
  const message = `no connection within ${timeoutMs} ms`;
  const deadline = {
    timeoutMs,
    onTimeout: () => peerError(peer, peer.host === undefined ? "daemon_unreachable" : "host_unreachable", { message }),
  };
  const connecting = transport.connect(purpose, attempt.signal);
  try {
    return await settleWithin(connecting, deadline, { signal });
  } catch (cause) {
    attempt.abort(cause);
    // A connection that comes about after all has no owner any more; its failure was told already.
    void connecting.then((stream) => stream.close()).catch(() => undefined);
    signal?.throwIfAborted();
    throw connectFailure(peer, cause);
  }
}
