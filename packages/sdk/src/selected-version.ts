import type { Response, VersionAdapter, VersionRange } from "@pohunek/protocol/wire";
import { adapterFor, negotiateVersion, SUPPORTED_VERSIONS } from "@pohunek/protocol/wire";
import type { Peer } from "./failures.ts";
import { peerError } from "./failures.ts";

/** The version of one connection as its client sees it: offered as a range, fixed by the first response. */
export class SelectedVersion {
  readonly #peer: Peer;
  readonly #pinned: number | undefined;
  #adapter: VersionAdapter | undefined;

  /** A pinned version is the only one that the connection offers: its parent's. */
  constructor(peer: Peer, pinned?: number) {
    this.#peer = peer;
    this.#pinned = pinned;
  }

  /** Undefined until the first response. */
  get fixed(): number | undefined {
    return this.#adapter?.version;
  }

  /** What the next request offers. */
  get offered(): VersionRange {
    const only = this.fixed ?? this.#pinned;
    return only === undefined ? SUPPORTED_VERSIONS : { minimum: only, maximum: only };
  }

  /** Translates for the version that is fixed or pinned; before that nothing needs translating. */
  get adapter(): VersionAdapter {
    return this.#adapter ?? adapterFor(this.#pinned ?? SUPPORTED_VERSIONS.maximum);
  }

  /** Takes note of a response's version. Throws when it is not one that was offered. */
  note(response: Response): void {
    // A daemon without a version in common answers in one of its own, which fixes nothing.
    if (response.err?.code === "version_mismatch") return;
    const { v } = response;
    if (this.#adapter === undefined && negotiateVersion({ minimum: v, maximum: v }, this.offered) === v) {
      this.#adapter = adapterFor(v);
    }
    if (this.fixed !== v) {
      const { minimum, maximum } = this.offered;
      const message = `the daemon answered in protocol ${v}, but ${minimum} to ${maximum} was offered`;
      throw peerError(this.#peer, "version_mismatch", { message });
    }
  }
}
