import type { InputRules, RuntimeDefinition, RuntimeSource } from "../agents/runtime-definition.ts";
import type { FrozenInput } from "../store/native-launch.ts";
import type { Session } from "./session.ts";

/**
 * The runtime of a session's agent, also of one that was started in its shell; undefined for a shell or a command. Fails with
 * runtime_not_installed.
 */
export type AgentOf = (session: Session) => RuntimeDefinition | undefined;

/**
 * A session keeps to the version of the package that it was started with, and to what its profile said about input then. It
 * is looked up once for each session: the package's files are compared with what was installed.
 */
export function agentFinder(runtimes: RuntimeSource): AgentOf {
  const known = new WeakMap<Session, { readonly digest: string | undefined; readonly agent: RuntimeDefinition }>();
  return (session) => {
    const { launch, nativeLaunch, agentBase } = session.record;
    if (launch !== "agent") {
      const active = session.activity?.activeAgent;
      return active && runtimes.all.find(({ id }) => id === active.runtimeId);
    }
    const digest = nativeLaunch?.package?.digest;
    const found = known.get(session);
    if (found !== undefined && found.digest === digest) {
      return found.agent;
    }
    const packaged = digest === undefined ? runtimes.byName(agentBase) : runtimes.byDigest(digest, agentBase);
    const agent = { ...packaged, input: withProfile(packaged.input, nativeLaunch?.input) };
    known.set(session, { digest, agent });
    return agent;
  };
}

/** A profile can only extend the time that an agent gets to start. */
function withProfile(rules: InputRules, profile: FrozenInput = {}): InputRules {
  const { bracketedPaste, submitDelayMs, startupGraceMs } = profile;
  return {
    ...rules,
    ...(bracketedPaste === undefined ? {} : { bracketedPaste }),
    ...(submitDelayMs === undefined || !rules.submitDelayConfigurable ? {} : { submitDelayMs }),
    ...(startupGraceMs === undefined ? {} : { startupGraceMs: Math.max(startupGraceMs, rules.startupGraceMs) }),
  };
}
