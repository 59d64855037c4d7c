import type { Logger } from "../logs/logger.ts";
import { failureFields } from "../logs/logger.ts";
import { Retries } from "../sessions/backoff.ts";
import type { OverlayConfig } from "./config.ts";
import type { Finding } from "./doctor.ts";
import type { Listener, TcpListenerOptions } from "./listener.ts";
import { listenTcp } from "./listener.ts";

type SharedOptions = Omit<TcpListenerOptions, "overlay" | "address" | "port">;

/**
 * The listeners on the configured overlays' addresses. An address that is not there yet (a VPN that comes up later than
 * the daemon) is tried again; it never becomes another address.
 */
export class OverlayListeners implements AsyncDisposable {
  readonly #overlays: readonly OverlayConfig[];
  readonly #options: SharedOptions;
  readonly #log: Logger;
  readonly #retries = new Retries();
  readonly #open = new Map<string, Listener>();

  constructor(overlays: readonly OverlayConfig[], options: SharedOptions) {
    this.#overlays = overlays;
    this.#options = options;
    this.#log = options.log;
  }

  start(): void {
    for (const overlay of this.#overlays) {
      if (!this.#tryToListen(overlay)) {
        this.#retries.begin(overlay.id, () => Promise.resolve(this.#tryToListen(overlay)));
      }
    }
  }

  #tryToListen({ id, address, port }: OverlayConfig): boolean {
    try {
      const listener = listenTcp({ ...this.#options, overlay: id, address, port });
      this.#open.set(id, listener);
      this.#log.info("listening", { overlay: id, address: listener.name });
      return true;
    } catch (cause) {
      this.#log.warn("overlay_not_listening", { overlay: id, ...failureFields(cause) });
      return false;
    }
  }

  /** For the doctor: which overlays have no listener. */
  look(): Finding {
    const missing = this.#overlays.filter(({ id }) => !this.#open.has(id)).map(({ id }) => id);
    if (missing.length > 0) {
      return { status: "warn", detail: `no listener on ${missing.join(", ")}: the address is not there or taken` };
    }
    return { status: "ok", detail: this.#overlays.length === 0 ? "none configured" : `${this.#open.size} listening` };
  }

  stop(): void {
    for (const listener of this.#open.values()) {
      listener.stop();
    }
  }

  closeAll(): void {
    for (const listener of this.#open.values()) {
      listener.closeAll();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#retries[Symbol.asyncDispose]();
    this.stop();
    this.closeAll();
  }
}
