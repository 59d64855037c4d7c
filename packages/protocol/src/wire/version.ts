import type { ProtocolError } from "./protocol-error.ts";
import { protocolError } from "./protocol-error.ts";

/** The newest public protocol this code speaks. */
export const PROTOCOL_VERSION = 4;

/** The oldest public protocol this code still serves and still reaches. Always one below the newest. */
export const MIN_PROTOCOL_VERSION = 3;

/** An inclusive range of protocol versions, as every request offers it. */
export interface VersionRange {
  readonly minimum: number;
  readonly maximum: number;
}

/** The range that daemon, SDK and CLI all advertise. */
export const SUPPORTED_VERSIONS: VersionRange = Object.freeze({
  minimum: MIN_PROTOCOL_VERSION,
  maximum: PROTOCOL_VERSION,
});

/** The highest version in both ranges, or undefined when they do not overlap. */
export function negotiateVersion(
  offered: VersionRange,
  supported: VersionRange = SUPPORTED_VERSIONS,
): number | undefined {
  const highest = Math.min(offered.maximum, supported.maximum);
  return highest >= offered.minimum && highest >= supported.minimum ? highest : undefined;
}

/**
 * The protocol version of one connection: undecided until its first valid request, then fixed for the connection's life.
 */
export class ConnectionVersion {
  readonly #supported: VersionRange;
  #fixed: number | undefined;

  constructor(supported: VersionRange = SUPPORTED_VERSIONS) {
    this.#supported = supported;
  }

  /** The version that responses and events carry now: the fixed one, before that our own maximum. */
  get current(): number {
    return this.#fixed ?? this.#supported.maximum;
  }

  get isFixed(): boolean {
    return this.#fixed !== undefined;
  }

  /**
   * Takes the range of one request. The first acceptable one fixes the version; a later one only has to contain it.
   * Returns the error to answer with, or undefined when the request may go on.
   */
  accept(offered: VersionRange): ProtocolError<"version_mismatch"> | undefined {
    if (this.#fixed === undefined) {
      this.#fixed = negotiateVersion(offered, this.#supported);
      if (this.#fixed !== undefined) return undefined;
      const { minimum, maximum } = this.#supported;
      return mismatch(offered, `this daemon serves ${minimum} to ${maximum}`);
    }
    if (offered.minimum <= this.#fixed && this.#fixed <= offered.maximum) return undefined;
    return mismatch(offered, `this connection is fixed at ${this.#fixed}`);
  }
}

function mismatch(offered: VersionRange, ours: string): ProtocolError<"version_mismatch"> {
  const message = `the request offers protocol ${offered.minimum} to ${offered.maximum}, but ${ours}`;
  return protocolError("version_mismatch", { message, details: { ...offered } });
}
