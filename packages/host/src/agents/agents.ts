import { isAbsolute, join } from "node:path";
import { isProtocolError, protocolError } from "@pohunek/protocol/wire";
import type { SessionRecord } from "../store/session-record.ts";
import { invalidProfile } from "./profiles/parse-profile.ts";
import type { EffectiveLaunch, ProfileFile } from "./profiles/profile-file.ts";
import type { ProfileKey } from "./profiles/profile-key.ts";
import type { Profiles } from "./profiles/profiles.ts";
import { resolveProfile } from "./profiles/resolve-profile.ts";
import type { RuntimeDefinition, RuntimeSource } from "./runtime-definition.ts";
import { SecretEnvironment } from "./secret-environment.ts";

/** The runtime that is compiled in; all others come from packages. */
export const SHELL_RUNTIME = "shell";

/** What a name stands for on this host: a runtime, or a runtime with what a profile makes of it. */
export interface Agent {
  readonly name: string;
  readonly definition: RuntimeDefinition;
  readonly file?: ProfileFile;
}

export interface AgentsOptions {
  readonly runtimes: RuntimeSource;
  readonly profiles: Profiles;
  readonly key: ProfileKey;
  readonly daemonEnv: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  /** PATH of agents: that of other sessions, and the folders of the settings. */
  readonly path: string;
  readonly userShell: string;
}

/** Every agent that a session may be started with, by its name. */
export class Agents {
  readonly #options: AgentsOptions;

  constructor(options: AgentsOptions) {
    this.#options = options;
  }

  get runtimeIds(): readonly string[] {
    return this.#options.runtimes.all.map(({ id }) => id);
  }

  get names(): readonly string[] {
    const runtimes = this.runtimeIds;
    return [...runtimes, ...this.#options.profiles.names.filter((name) => !runtimes.includes(name))];
  }

  /** What a profile says that it builds on, also where that can't be had. Undefined when the file can't be read. */
  baseOf(name: string): string | undefined {
    try {
      return this.#options.profiles.find(name)?.profile.base;
    } catch (cause) {
      if (isProtocolError(cause, "invalid_profile")) return undefined;
      throw cause;
    }
  }

  /** Fails with agent_profile_not_found, or with what is wrong with the profile or its package. */
  find(name: string): Agent {
    const { runtimes, profiles } = this.#options;
    const file = profiles.find(name);
    if (file === undefined) {
      return { name, definition: this.#runtimeNamed(name) };
    }
    if (runtimes.all.some(({ id }) => id === name)) {
      throw invalidProfile(name, "its name is that of a runtime; rename the file");
    }
    return { name, definition: resolveProfile(file.profile, runtimes), file };
  }

  /** As `find`, for a new session: also fails with runtime_not_installed when the package is switched off. */
  findForLaunch(name: string): Agent {
    const agent = this.find(name);
    const digest = agent.definition.source?.digest;
    if (digest !== undefined && !this.#options.runtimes.isEnabled(digest)) {
      throw protocolError("runtime_not_installed", {
        message: `the package that serves ${JSON.stringify(name)} is switched off`,
        recover: "pohunek plugin list",
      });
    }
    return agent;
  }

  #runtimeNamed(name: string): RuntimeDefinition {
    try {
      return this.#options.runtimes.byName(name);
    } catch (cause) {
      // What is there and switched off is not unknown.
      if (!isProtocolError(cause, "runtime_not_installed") || cause.details?.["isOff"] === true) throw cause;
      const message = `there is no agent or profile named ${JSON.stringify(name.slice(0, 64))} on this host`;
      throw protocolError("agent_profile_not_found", { message, recover: cause.recover });
    }
  }

  /** What its programs are started with, beside what every session gets. */
  environmentOf({ definition, file }: Agent): SecretEnvironment {
    const { daemonEnv, path } = this.#options;
    const { launch, configHome } = definition;
    const home = configHome === undefined ? undefined : daemonEnv[configHome.variable];
    return new SecretEnvironment({
      PATH: path,
      ...launch.env,
      ...(configHome !== undefined && home !== undefined && isAbsolute(home) ? { [configHome.variable]: home } : {}),
      ...file?.profile.environment.reveal(),
    });
  }

  /** An opaque name of the folder where the agent keeps its settings: equal for equal folders, and only on this host. */
  configHomeId(agent: Agent): string | undefined {
    const { configHome } = agent.definition;
    if (configHome === undefined) return undefined;
    const own = this.environmentOf(agent);
    const folder = own.get(configHome.variable) ?? join(own.get("HOME") ?? this.#options.home, configHome.default);
    try {
      return this.#options.key.digest("config-home-1", [join(folder, ".")]);
    } catch (cause) {
      // Without the key there is no such name; launching a bare runtime needs none.
      if (isProtocolError(cause, "agent_profile_revision_unavailable")) return undefined;
      throw cause;
    }
  }

  /** What a session of it runs, as revisions see it. */
  effectiveLaunch({ definition, file }: Agent): EffectiveLaunch {
    const { launch, source, id } = definition;
    const isLoginShell = id === SHELL_RUNTIME && file?.profile.program === undefined;
    const program = isLoginShell ? this.#options.userShell : launch.program;
    return { digest: source?.digest, program, args: launch.args };
  }

  /** Of the profile as it is now; undefined for a bare runtime. Fails with agent_profile_revision_unavailable. */
  currentRevision(agent: Agent): string | undefined {
    return agent.file?.revision(this.#options.key, this.effectiveLaunch(agent));
  }

  /**
   * The agent of a session that is to be taken up again: the package that the session was started with, and the profile as
   * it is now, with its revision. Fails with agent_profile_changed, unless a change is accepted, and with
   * agent_profile_missing in any case.
   */
  findForRelaunch(record: SessionRecord, acceptsProfileChange: boolean): { agent: Agent; profileRevision?: string } {
    const { agent: name, agentBase, nativeLaunch } = record;
    const { profiles, key } = this.#options;
    const definition = this.#frozenRuntime(record);
    if (name === agentBase) {
      return { agent: { name, definition } };
    }
    if (!profiles.names.includes(name)) {
      throw protocolError("agent_profile_missing", { message: `there is no profile ${JSON.stringify(name)} any more` });
    }
    const frozen = nativeLaunch?.profileRevision;
    const current = this.#currentProfile(name, acceptsProfileChange);
    if (!acceptsProfileChange) {
      if (frozen === undefined) throw changed(name);
      current.file?.ensureUnchanged(key, frozen, this.effectiveLaunch(current));
    }
    const profileRevision = acceptsProfileChange ? this.currentRevision(current) : frozen;
    return { agent: { name, definition, file: current.file }, profileRevision };
  }

  #currentProfile(name: string, acceptsProfileChange: boolean): Agent {
    try {
      return this.find(name);
    } catch (cause) {
      // A profile that was valid and is not now was changed.
      if (!acceptsProfileChange && isProtocolError(cause, "invalid_profile")) throw changed(name);
      throw cause;
    }
  }

  #frozenRuntime({ agentBase, nativeLaunch }: SessionRecord): RuntimeDefinition {
    const pinned = nativeLaunch?.package;
    return pinned === undefined
      ? this.#options.runtimes.byName(agentBase)
      : this.#options.runtimes.byDigest(pinned.digest, agentBase);
  }
}

function changed(name: string): Error {
  return protocolError("agent_profile_changed", {
    message: `profile ${JSON.stringify(name)} was changed since the session was started`,
  });
}
