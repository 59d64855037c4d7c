import type { EventOf } from "@pohunek/protocol";
import type { EventName, VersionAdapter } from "@pohunek/protocol/wire";
import {
  encodeLine,
  errorFromWire,
  isEventName,
  newRequestId,
  parseEvent,
  parseResponse,
} from "@pohunek/protocol/wire";
import type { Cancellation } from "./cancellation.ts";
import { settleWithin } from "./cancellation.ts";
import type { ConnectionSettings } from "./control-connection.ts";
import { connectionLost, peerError } from "./failures.ts";
import { MessageChannel } from "./message-channel.ts";
import { SelectedVersion } from "./selected-version.ts";
import type { ByteStream } from "./transport.ts";
import type { ResultValidator } from "./validator.ts";

/** An event of the protocol, in today's shape whatever the daemon's version. */
export type KnownEvent = {
  [Name in EventName]: { readonly event: Name; readonly payload: EventOf<Name> };
}[EventName];

/** An event that only a newer daemon knows. */
export interface UnknownEvent {
  readonly event: "unknown";
  readonly name: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

export type ReceivedEvent = KnownEvent | UnknownEvent;

export interface SubscriptionOptions extends Cancellation {
  readonly settings: ConnectionSettings;
  readonly timeoutMs: number;
  readonly validator: ResultValidator | undefined;
}

/**
 * The events of a host, as an async iterable over a connection of its own. The daemon drops the oldest events of a
 * subscriber that is too slow without saying so: after a pause, reconcile with `session.list`. Iteration ends when the
 * daemon ends the stream and rejects when it breaks or the signal aborts.
 */
export class Subscription implements AsyncIterable<ReceivedEvent>, AsyncDisposable {
  readonly #channel: MessageChannel;
  readonly #adapter: VersionAdapter;
  readonly #options: SubscriptionOptions;
  readonly #onAbort = (): void => void this.close();
  #isClosed = false;

  private constructor(channel: MessageChannel, adapter: VersionAdapter, options: SubscriptionOptions) {
    this.#channel = channel;
    this.#adapter = adapter;
    this.#options = options;
    options.signal?.addEventListener("abort", this.#onAbort, { once: true });
  }

  /** Subscribes on a fresh connection. What happens from now on is delivered. */
  static async open(stream: ByteStream, options: SubscriptionOptions): Promise<Subscription> {
    const { settings, signal, timeoutMs } = options;
    const channel = new MessageChannel(stream, settings.peer);
    const message = `subscribe was not answered within ${timeoutMs} ms`;
    const deadline = { timeoutMs, onTimeout: () => peerError(settings.peer, "request_timeout", { message }) };
    try {
      const adapter = await settleWithin(requestEvents(channel, settings), deadline, { signal });
      return new Subscription(channel, adapter, options);
    } catch (cause) {
      await channel.close();
      throw cause;
    }
  }

  /** The protocol version of the subscription's connection. */
  get version(): number {
    return this.#adapter.version;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<ReceivedEvent, void, undefined> {
    try {
      for (let event = await this.#receive(); event !== undefined; event = await this.#receive()) yield event;
      this.#options.signal?.throwIfAborted();
    } finally {
      await this.close();
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#options.signal?.removeEventListener("abort", this.#onAbort);
    await this.#channel.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #receive(): Promise<ReceivedEvent | undefined> {
    let next: { readonly value: unknown } | undefined;
    try {
      next = await this.#channel.receive();
    } catch (cause) {
      // Closing may cut a line in half; nobody waits for the rest of it.
      if (!this.#isClosed) throw cause;
    }
    if (next === undefined || this.#isClosed) return undefined;
    const envelope = parseEvent(next.value);
    if (envelope === undefined) {
      throw peerError(this.#options.settings.peer, "framing", {
        message: "the daemon sent something that is no event",
      });
    }
    const { v: _version, event, id: _id, ...payload } = envelope;
    return this.#translate(event, payload);
  }

  #translate(name: string, sent: object): ReceivedEvent {
    if (!isEventName(name)) return { event: "unknown", name, payload: { ...sent } };
    const payload = this.#adapter.upgradeEvent(name, sent);
    const valid = this.#options.validator?.event(name, payload) ?? payload;
    return { event: name, payload: valid } as KnownEvent;
  }
}

async function requestEvents(channel: MessageChannel, settings: ConnectionSettings): Promise<VersionAdapter> {
  const version = new SelectedVersion(settings.peer, settings.pinnedVersion);
  const id = newRequestId();
  await channel.send(encodeLine({ v: version.offered, id, method: "subscribe", ...settings.origin }));
  const answer = await channel.receive();
  if (answer === undefined) throw connectionLost(settings.peer);
  const response = parseResponse(answer.value);
  if (response === undefined) {
    throw peerError(settings.peer, "framing", { message: "the daemon did not answer the subscription" });
  }
  version.note(response);
  if (response.err !== undefined) throw errorFromWire(response.err, settings.peer.host);
  return version.adapter;
}
