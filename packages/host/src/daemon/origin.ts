import type { MethodRow, ProtocolError, Right } from "@pohunek/protocol/wire";
import { protocolError } from "@pohunek/protocol/wire";

/** Who a connection belongs to: decided by the listener that accepted it, and never changed by anything that is sent. */
export type Origin =
  /** The Unix socket of this host; the kernel attests the owner's uid. `pid` is who connected, for diagnosis. */
  | { readonly kind: "local_owner"; readonly pid: number }
  /** A listener on a private overlay, which authenticates its members as the owner. */
  | { readonly kind: "overlay_owner"; readonly overlay: string };

const OWNER_RIGHTS: ReadonlySet<Right> = new Set(["observe", "control", "attach", "spawn", "handover", "admin"]);

/** Says why a connection of this origin may not call a method; undefined when it may. */
export function refusalOf(origin: Origin, method: MethodRow): ProtocolError | undefined {
  if (method.right === "local_only") {
    return origin.kind === "local_owner" ? undefined : protocolError("local_only_method");
  }
  return OWNER_RIGHTS.has(method.right) ? undefined : protocolError("permission_denied");
}

/** True when two connections come from the same place, so that one may use what was granted to the other. */
export function isSameOrigin(left: Origin, right: Origin): boolean {
  if (left.kind === "overlay_owner" || right.kind === "overlay_owner") {
    return (
      left.kind === right.kind && (left as { overlay?: string }).overlay === (right as { overlay?: string }).overlay
    );
  }
  return true;
}

/** Short form for the log. */
export function originName(origin: Origin): string {
  return origin.kind === "local_owner" ? "local" : `overlay:${origin.overlay}`;
}
