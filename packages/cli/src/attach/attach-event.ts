import type { AttachAction } from "./attach-keys.ts";
import type { AttachLink } from "./attach-link.ts";
import type { EndSignal } from "./attach-outcome.ts";

/** What an attach has to react to. */
export type AttachEvent =
  | { readonly type: "key"; readonly action: AttachAction }
  | { readonly type: "ended"; readonly link: AttachLink }
  /** The picture of this stream has lost a row to a menu, and the daemon can give another. */
  | { readonly type: "repaint"; readonly link: AttachLink }
  | { readonly type: "signal"; readonly name: EndSignal }
  | { readonly type: "suspend" }
  /** Something that the user has to be told; the session's screen comes back afterwards. */
  | { readonly type: "notice"; readonly text: string }
  /** The terminal is gone. */
  | { readonly type: "gone" }
  /** Something was typed for the menu. */
  | { readonly type: "typed" };
