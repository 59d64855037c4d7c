import type { AnnouncedEvent } from "@pohunek/protocol";
import { adapterFor, encodeEvent } from "@pohunek/protocol/wire";

/** Where the lines of one subscriber go. */
export interface EventSink {
  /** Protocol version of the subscriber's connection. */
  readonly version: number;
  deliver(line: Uint8Array): void;
}

/** Tells each subscriber each event, in the shape of its protocol version, encoded once for each version. */
export class EventBus {
  readonly #sinks = new Set<EventSink>();

  get subscriberCount(): number {
    return this.#sinks.size;
  }

  subscribe(sink: EventSink): Disposable {
    this.#sinks.add(sink);
    return { [Symbol.dispose]: () => void this.#sinks.delete(sink) };
  }

  announce({ event, payload }: AnnouncedEvent): void {
    const lines = new Map<number, Uint8Array | undefined>();
    for (const sink of this.#sinks) {
      if (!lines.has(sink.version)) {
        const shaped = adapterFor(sink.version).downgradeEvent(event, payload);
        lines.set(sink.version, shaped === undefined ? undefined : encodeEvent(sink.version, event, shaped));
      }
      const line = lines.get(sink.version);
      if (line !== undefined) {
        sink.deliver(line);
      }
    }
  }
}
