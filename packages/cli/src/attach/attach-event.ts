import type { AttachAction } from "./attach-keys.ts";
import type { AttachLink } from "./attach-link.ts";

/** What an attach has to react to. */
export type AttachEvent =
  | { readonly type: "key"; readonly action: AttachAction }
  | { readonly type: "ended"; readonly link: AttachLink }
  | { readonly type: "signal"; readonly name: "SIGTERM" | "SIGHUP" }
  | { readonly type: "suspend" }
  /** The terminal is gone. */
  | { readonly type: "gone" }
  /** Something was typed for the menu. */
  | { readonly type: "typed" };
