import type { OriginPair, Response } from "@pohunek/protocol/wire";
import { encodeLine, errorFromWire, INVALID_REQUEST_ID, newRequestId, parseResponse } from "@pohunek/protocol/wire";
import type { Cancellation } from "./cancellation.ts";
import { settleWithin } from "./cancellation.ts";
import type { Peer } from "./failures.ts";
import { connectionLost, peerError } from "./failures.ts";
import { MessageChannel } from "./message-channel.ts";
import { SelectedVersion } from "./selected-version.ts";
import type { ByteStream } from "./transport.ts";

/** What one connection needs to know. */
export interface ConnectionSettings {
  readonly peer: Peer;
  readonly origin: OriginPair | undefined;
  /** The only version to offer, where the parent connection has fixed one. */
  readonly pinnedVersion?: number | undefined;
}

/** One request, in today's shape. */
export interface OutgoingRequest extends Cancellation {
  readonly method: string;
  readonly params: unknown;
  readonly timeoutMs: number;
}

interface PendingRequest {
  readonly method: string;
  readonly sentMs: number;
  resolve(result: unknown): void;
  reject(cause: unknown): void;
}

/** Requests and responses over one connection. The daemon answers them in order, one at a time. */
export class ControlConnection implements AsyncDisposable {
  readonly version: SelectedVersion;
  readonly #settings: ConnectionSettings;
  readonly #channel: MessageChannel;
  readonly #idPrefix = newRequestId();
  readonly #pending = new Map<string, PendingRequest>();
  #sent = 0;
  #roundTripMs: number | undefined;
  #failure: Error | undefined;

  constructor(stream: ByteStream, settings: ConnectionSettings) {
    this.#settings = settings;
    this.#channel = new MessageChannel(stream, settings.peer);
    this.version = new SelectedVersion(settings.peer, settings.pinnedVersion);
    void this.#receiveAll();
  }

  /** True once the connection is of no more use. */
  get isClosed(): boolean {
    return this.#failure !== undefined;
  }

  /** How long the fastest answer so far took; undefined before the first. */
  get roundTripMs(): number | undefined {
    return this.#roundTripMs;
  }

  /** Sends a request and returns its result in today's shape. A late answer to one that was given up is dropped. */
  async request(request: OutgoingRequest): Promise<unknown> {
    request.signal?.throwIfAborted();
    if (this.#failure !== undefined) throw this.#failure;
    this.#sent += 1;
    const id = `${this.#idPrefix}-${this.#sent}`;
    const line = this.#encode(id, request);
    const answer = new Promise<unknown>((resolve, reject) => {
      this.#pending.set(id, { method: request.method, sentMs: performance.now(), resolve, reject });
    });
    this.#channel.send(line).catch((cause: unknown) => this.#fail(cause));
    return settleWithin(answer, this.#deadline(request), {
      signal: request.signal,
      onGivenUp: () => this.#giveUp(id),
    });
  }

  async close(): Promise<void> {
    this.#fail(connectionLost(this.#settings.peer));
    await this.#channel.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #encode(id: string, { method, params }: OutgoingRequest): Uint8Array {
    const translated = this.version.adapter.downgradeParams(method, params);
    return encodeLine({ v: this.version.offered, id, method, params: translated, ...this.#settings.origin });
  }

  #deadline({ method, timeoutMs }: OutgoingRequest) {
    const message = `${method} was not answered within ${timeoutMs} ms; it may still take effect`;
    return { timeoutMs, onTimeout: () => peerError(this.#settings.peer, "request_timeout", { message }) };
  }

  /** Keeps the id, so that the late answer is recognised. */
  #giveUp(id: string): void {
    const pending = this.#pending.get(id);
    if (pending === undefined) return;
    const ignore = (): void => undefined;
    this.#pending.set(id, { ...pending, resolve: ignore, reject: ignore });
  }

  async #receiveAll(): Promise<void> {
    try {
      for (let next = await this.#channel.receive(); next !== undefined; next = await this.#channel.receive()) {
        this.#settle(next.value);
      }
      this.#fail(connectionLost(this.#settings.peer));
    } catch (cause) {
      this.#fail(cause);
      await this.#channel.close();
    }
  }

  #settle(value: unknown): void {
    const response = parseResponse(value);
    const pending = response === undefined ? undefined : this.#takePending(response);
    if (response === undefined || pending === undefined) {
      throw peerError(this.#settings.peer, "framing", { message: "the daemon sent something that nobody asked for" });
    }
    try {
      this.version.note(response);
    } catch (cause) {
      pending.reject(cause);
      throw cause;
    }
    this.#roundTripMs = Math.min(this.#roundTripMs ?? Number.POSITIVE_INFINITY, performance.now() - pending.sentMs);
    try {
      pending.resolve(this.#resultOf(response, pending.method));
    } catch (cause) {
      pending.reject(cause);
    }
  }

  #resultOf(response: Response, method: string): unknown {
    if (response.err !== undefined) throw errorFromWire(response.err, this.#settings.peer.host);
    return this.version.adapter.upgradeResult(method, response.ok);
  }

  /** Answers come in order, so one to a line that the daemon could not read belongs to the oldest request. */
  #takePending(response: Response): PendingRequest | undefined {
    const [oldest] = this.#pending.keys();
    const id = response.id === INVALID_REQUEST_ID ? (oldest ?? "") : response.id;
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    return pending;
  }

  #fail(cause: unknown): void {
    if (this.#failure !== undefined) return;
    const failure = connectionLost(this.#settings.peer, cause);
    this.#failure = failure;
    for (const pending of this.#pending.values()) pending.reject(failure);
    this.#pending.clear();
  }
}
