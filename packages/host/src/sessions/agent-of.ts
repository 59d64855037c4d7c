import type { RuntimeDefinition, RuntimeSource } from "../agents/runtime-definition.ts";
import type { Session } from "./session.ts";

/** The runtime of a session's agent; undefined for a shell or a command. Fails with runtime_not_installed. */
export type AgentOf = (session: Session) => RuntimeDefinition | undefined;

/** A session keeps to the version of the package that it was started with. */
export function agentFinder(runtimes: RuntimeSource): AgentOf {
  return ({ record }) => {
    if (record.launch !== "agent") {
      return undefined;
    }
    const { package: pinned } = record.nativeLaunch ?? {};
    return pinned === undefined
      ? runtimes.byName(record.agentBase)
      : runtimes.byDigest(pinned.digest, record.agentBase);
  };
}
