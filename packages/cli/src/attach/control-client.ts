import type { Client } from "@pohunek/sdk";

/**
 * The connection on which an attach asks its daemon. The stream does not depend on it and may outlive it; then it is made
 * anew, once for all who ask meanwhile.
 */
export class ControlClient implements AsyncDisposable {
  readonly #connect: () => Promise<Client>;
  #client: Client | undefined;
  #connecting: Promise<Client> | undefined;

  /** Until it is given a client, the first who asks makes one. */
  constructor(connect: () => Promise<Client>) {
    this.#connect = connect;
  }

  /** Uses this one, and closes it in the end. */
  adopt(client: Client): void {
    this.#client = client;
  }

  /** An open one. */
  async open(): Promise<Client> {
    return this.#client === undefined || this.#client.isClosed ? this.renew() : this.#client;
  }

  /** Another one in the place of the present one. */
  renew(): Promise<Client> {
    this.#connecting ??= this.#replace();
    return this.#connecting;
  }

  async #replace(): Promise<Client> {
    try {
      await this.#client?.close();
      const client = await this.#connect();
      this.#client = client;
      return client;
    } finally {
      this.#connecting = undefined;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client?.close();
  }
}
