import { closeSync, openSync } from "node:fs";
import type { ProtocolError } from "@pohunek/protocol/wire";
import { protocolError } from "@pohunek/protocol/wire";

/**
 * Descriptors that nothing lasting may take: so many are needed at once to start a worker, to look through the processes
 * of a session that ends, to write the store, and to tell a client why it is refused.
 */
const RESERVED = 16;
/** Sessions leave room for clients that want to see or to end them. */
const FOR_CLIENTS = 8;

/**
 * Keeps a few descriptors free, so that a daemon that is full still answers and ends sessions. The kernel gives the lowest
 * free number, so a high one says that those below are taken.
 */
export class DescriptorRoom {
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Whether a connection with this descriptor would take from the reserve. */
  isReserved(fd: number): boolean {
    return fd >= this.#limit - RESERVED;
  }

  /** Whether this connection can't even wait for its request to be refused. */
  isLast(fd: number): boolean {
    return fd >= this.#limit - RESERVED / 2;
  }

  /** Fails when there is no room for one more session. */
  ensureForSession(): void {
    let fd: number;
    try {
      fd = openSync("/dev/null", "r");
    } catch (cause) {
      throw exhaustion(cause) ?? cause;
    }
    closeSync(fd);
    if (this.isReserved(fd + FOR_CLIENTS)) {
      throw descriptorsExhausted();
    }
  }
}

export function descriptorsExhausted(cause?: unknown): ProtocolError {
  return protocolError("client_file_descriptors_exhausted", {
    message: "the daemon has no file descriptor left for this",
    recover: "Close connections, end sessions, or start the daemon with a higher limit of open files.",
    cause,
  });
}

/** The coded failure for a call of the system that failed for want of descriptors; undefined for any other failure. */
export function exhaustion(cause: unknown): ProtocolError | undefined {
  const code = cause instanceof Error ? (cause as { code?: unknown }).code : undefined;
  if (code === "EMFILE") {
    return descriptorsExhausted(cause);
  }
  return code === "ENFILE" ? protocolError("system_file_descriptors_exhausted", { cause }) : undefined;
}
