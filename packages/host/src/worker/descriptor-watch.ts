import type { ReadinessSet, SocketCalls } from "../platform/index.ts";

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
  readonly #ready: ReadinessSet;
  /** Replaced, never changed, so that a round goes on over the one it began with. */
  #watched: readonly WatchedDescriptor[] = [];
  #isScheduled = false;

  constructor(sockets: SocketCalls) {
    this.#sockets = sockets;
    this.#ready = sockets.openReadinessSet();
  }

  add(descriptor: WatchedDescriptor): void {
    this.#watched = [...this.#watched, descriptor];
    this.#sockets.signalReadiness(descriptor.fd, true);
    // It may have been ready before it could signal.
    this.schedule();
  }

  remove(descriptor: WatchedDescriptor): void {
    this.#watched = this.#watched.filter((one) => one !== descriptor);
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
    const watched = this.#watched;
    const ready = this.#ready;
    ready.clear();
    for (const { fd, wantsRead, wantsWrite } of watched) ready.add(fd, wantsRead, wantsWrite);
    if (ready.poll() === 0) {
      return;
    }
    const failures: unknown[] = [];
    for (const [index, descriptor] of watched.entries()) {
      try {
        this.#serveOne(descriptor, { canRead: ready.canRead(index), canWrite: ready.canWrite(index) });
      } catch (cause) {
        // A bug in serving one must not cost the others the only signal that they get.
        failures.push(cause);
      }
    }
    if (failures.length > 0) {
      throw failures[0];
    }
  }

  #serveOne(descriptor: WatchedDescriptor, { canRead, canWrite }: { canRead: boolean; canWrite: boolean }): void {
    // One that was served before may have ended this one.
    if (canWrite && this.#watched.includes(descriptor)) {
      descriptor.writable();
    }
    if (canRead && this.#watched.includes(descriptor) && descriptor.readable()) {
      this.schedule();
    }
  }
}
