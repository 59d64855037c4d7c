import type { ParamsOf, ResultOf } from "@pohunek/protocol";
import type { MethodName } from "@pohunek/protocol/wire";
import { isProtocolError } from "@pohunek/protocol/wire";
import type { Client } from "@pohunek/sdk";
import { connect } from "@pohunek/sdk";
import { unixTransport } from "@pohunek/sdk/node";
import type { Host } from "../../test/support/index.ts";
import { startHost } from "../../test/support/index.ts";

/** So long a client goes on trying while the daemon is away; longer means that it does not come back. */
const RETRY_MS = 30_000;
const RETRY_GAP_MS = 50;
/** The smallest that a host takes: full before the first minute is over, so that it does not look like growth. */
export const RING_BYTES = 1_048_576;

/** A host whose daemon is killed under its clients, and what clients do then: try again. */
export class SoakedHost implements AsyncDisposable {
  readonly host: Host;
  kills = 0;
  #isStarting = false;

  private constructor(host: Host) {
    this.host = host;
  }

  static async start(): Promise<SoakedHost> {
    return new SoakedHost(await startHost({ config: `[output]\nring_bytes = ${RING_BYTES}\n` }));
  }

  /** Ends the daemon in the middle of whatever it does, and starts another. */
  async replaceDaemon(how: "kill" | "stop", pauseMs: number): Promise<void> {
    if (this.#isStarting) return;
    this.#isStarting = true;
    try {
      this.kills++;
      await (how === "kill" ? this.host.kill() : this.host.stop());
      await Bun.sleep(pauseMs);
      await this.host.start();
    } finally {
      this.#isStarting = false;
    }
  }

  async connect(): Promise<Client> {
    return await connect({ transport: unixTransport(this.host.roots.socket) });
  }

  /** Makes a request that may be made twice, until it is answered. */
  async call<Name extends MethodName>(name: Name, params: ParamsOf<Name>): Promise<ResultOf<Name>> {
    return await this.retry(async (client) => await client.call(name, params as never));
  }

  async retry<Result>(attempt: (client: Client) => Promise<Result>): Promise<Result> {
    const deadline = performance.now() + RETRY_MS;
    for (;;) {
      try {
        await using client = await this.connect();
        return await attempt(client);
      } catch (cause) {
        if (!isPassing(cause) || performance.now() > deadline) throw cause;
      }
      await Bun.sleep(RETRY_GAP_MS);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.host[Symbol.asyncDispose]();
  }
}

/** The daemon is away, or has not found its worker again yet. */
export function isPassing(cause: unknown): boolean {
  return isProtocolError(cause) && cause.isRetryable;
}
