import type { Client } from "@pohunek/sdk";

/**
 * The connection on which an attach asks its daemon. The stream does not depend on it and may outlive it; then it is made
 * anew, once for all who ask meanwhile.
 */
export class ControlClient implements AsyncDisposable {
  readonly #connect: () => Promise<Client>;
  #client: Client;
  #connecting: Promise<Client> | undefined;

  constructor(client: Client, connect: () => Promise<Client>) {
    this.#client = client;
    this.#connect = connect;
  }

  /** The last one, which may be closed. */
  get latest(): Client {
    return this.#client;
  }

  /** An open one. */
  async open(): Promise<Client> {
    return this.#client.isClosed ? this.renew() : this.#client;
  }

  /** Another one in the place of the present one. */
  renew(): Promise<Client> {
    this.#connecting ??= this.#replace();
    return this.#connecting;
  }

  async #replace(): Promise<Client> {
    try {
      await this.#client.close();
      this.#client = await this.#connect();
      return this.#client;
    } finally {
      this.#connecting = undefined;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.close();
  }
}
