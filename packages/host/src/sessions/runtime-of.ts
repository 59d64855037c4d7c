import { isProtocolError } from "@pohunek/protocol/wire";
import type { RuntimeDefinition, RuntimeSource } from "../agents/runtime-definition.ts";
import type { Session } from "./session.ts";

/** The runtime by whose package a session was started; undefined for shells, and when the package is gone or damaged. */
export function runtimeOf(
  { record: { agentBase, nativeLaunch } }: Session,
  runtimes: Pick<RuntimeSource, "byDigest">,
): RuntimeDefinition | undefined {
  if (nativeLaunch?.package === undefined) {
    return undefined;
  }
  try {
    return runtimes.byDigest(nativeLaunch.package.digest, agentBase);
  } catch (cause) {
    // runtime_not_installed, runtime_incompatible.
    if (isProtocolError(cause)) return undefined;
    throw cause;
  }
}
