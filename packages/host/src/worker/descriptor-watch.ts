import type { SocketCalls } from "../platform/index.ts";

/** Somebody who reads and writes a descriptor without waiting. */
export interface WatchedDescriptor {
  readonly fd: number;
  readonly wantsRead: boolean;
  readonly wantsWrite: boolean;
  /** Reads some. True: there may be more that no signal will announce again. */
  readable(): boolean;
  writable(): void;
}

/** Serves all descriptors of the worker's socket on one signal, which says that some of them became ready, not which. */
export class DescriptorWatch {
  readonly #sockets: SocketCalls;
  readonly #watched = new Set<WatchedDescriptor>();
  #isScheduled = false;

  constructor(sockets: SocketCalls) {
    this.#sockets = sockets;
  }

  add(descriptor: WatchedDescriptor): void {
    this.#watched.add(descriptor);
    this.#sockets.signalReadiness(descriptor.fd, true);
    // It may have been ready before it could signal.
    this.schedule();
  }

  remove(descriptor: WatchedDescriptor): void {
    this.#watched.delete(descriptor);
  }

  /** Whether the descriptor announces itself; one that does not is looked after by its owner. */
  announce(descriptor: WatchedDescriptor, isWanted: boolean): void {
    this.#sockets.signalReadiness(descriptor.fd, isWanted);
  }

  /** What a descriptor wants has changed, so an old readiness may count now. */
  schedule(): void {
    if (!this.#isScheduled) {
      this.#isScheduled = true;
      setImmediate(() => {
        this.#isScheduled = false;
        this.serve();
      });
    }
  }

  /** SIGIO. */
  serve(): void {
    const watched = [...this.#watched];
    const wanted = watched.map(({ fd, wantsRead, wantsWrite }) => ({ fd, read: wantsRead, write: wantsWrite }));
    let hasMore = false;
    for (const [index, { canRead, canWrite }] of this.#sockets.poll(wanted).entries()) {
      const descriptor = watched[index];
      // One that was served before may have ended this one.
      if (canWrite && descriptor && this.#watched.has(descriptor)) {
        descriptor.writable();
      }
      if (canRead && descriptor && this.#watched.has(descriptor)) {
        hasMore = descriptor.readable() || hasMore;
      }
    }
    if (hasMore) {
      this.schedule();
    }
  }
}
