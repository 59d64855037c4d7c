import type { SessionId, StreamId } from "@pohunek/protocol/wire";
import { LIMITS, protocolError, streamIdOf } from "@pohunek/protocol/wire";
import type { OpenDataStreamParams } from "../worker-api/operations.ts";
import type { Origin } from "./origin.ts";
import { isSameOrigin } from "./origin.ts";

/** What an attach was granted for. */
export interface AttachGrant {
  readonly sessionId: SessionId;
  readonly origin: Origin;
  /** Size of the viewer's terminal, and what it has to be told first. */
  readonly opening: OpenDataStreamParams;
  /** The session in which the attaching client itself runs, when it does. */
  readonly viewerSessionId?: string;
}

interface Issued extends AttachGrant {
  readonly expiresAt: number;
}

/** Expired grants are remembered this long, to tell a late client what happened. */
const REMEMBERED_MS = 60_000;
/** Grants that are open or remembered; the oldest gives way. */
const REMEMBERED_GRANTS = 1024;

/** Attach tokens: each opens one stream, once, within ten seconds, from where it was asked for. */
export class AttachGrants {
  readonly #issued = new Map<StreamId, Issued>();
  readonly #now: () => number;
  readonly #first: number;
  #last: number;

  /** Streams outlive daemons, so each daemon counts from a number that none before it has reached: milliseconds do. */
  constructor(first: number, now: () => number = () => performance.now()) {
    this.#first = first;
    this.#last = first - 1;
    this.#now = now;
  }

  /** Whether this daemon gave the id. */
  isOwn(streamId: StreamId): boolean {
    const counter = Number(streamId.slice(streamId.indexOf("-") + 1));
    return counter >= this.#first && counter <= this.#last;
  }

  issue(grant: AttachGrant): StreamId {
    this.#forgetOld();
    this.#last += 1;
    const streamId = streamIdOf(this.#last);
    this.#issued.set(streamId, { ...grant, expiresAt: this.#now() + LIMITS.attachTokenTtlMs });
    return streamId;
  }

  /** Takes the grant. Fails with attach_not_found or attach_expired. */
  redeem(streamId: StreamId, origin: Origin): AttachGrant {
    const grant = this.#issued.get(streamId);
    if (grant === undefined || !isSameOrigin(grant.origin, origin)) {
      throw protocolError("attach_not_found");
    }
    if (this.#now() > grant.expiresAt) {
      throw protocolError("attach_expired");
    }
    this.#issued.delete(streamId);
    return grant;
  }

  #forgetOld(): void {
    const oldest = this.#now() - REMEMBERED_MS;
    for (const [streamId, { expiresAt }] of this.#issued) {
      if (expiresAt > oldest && this.#issued.size < REMEMBERED_GRANTS) {
        return;
      }
      this.#issued.delete(streamId);
    }
  }
}
