import { realpathSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { isProtocolError, protocolError } from "@pohunek/protocol/wire";
import type { Agent, Agents } from "../agents.ts";
import { findHandler, HANDLERS } from "./handlers/find-handler.ts";
import type { HookHandler } from "./hook-handler.ts";

/** Which homes a request is about. */
export interface HomeSelector {
  readonly agent?: string;
  readonly profile?: string;
  readonly allProfiles?: boolean;
}

/** One configuration home of one agent, and who uses it. */
export interface IntegrationHome {
  readonly handler: HookHandler;
  /** As the agent finds it, links followed where it exists. */
  readonly path: string;
  /** Runtimes that find it without a profile. */
  readonly runtimes: readonly string[];
  readonly profiles: readonly string[];
  /** The name that was asked for, else the one runtime that it belongs to, else the handler's. */
  readonly name: string;
  /** No installed package says that this is the agent's; only the handler knows. */
  readonly isLeftover: boolean;
}

/** A home that could not be found, as a profile of it is not valid. */
export interface MissingHome {
  readonly name: string;
  readonly cause: Error;
}

export interface IntegrationHomesOptions {
  readonly agents: Agents;
  readonly daemonEnv: Readonly<Record<string, string | undefined>>;
  readonly home: string;
}

interface Claim {
  readonly handler: HookHandler;
  readonly path: string;
  readonly runtime?: string;
  readonly profile?: string;
}

/** Finds the configuration homes of agents as a launch would: the profile's variable, the daemon's, else the default below HOME. */
export class IntegrationHomes {
  readonly #options: IntegrationHomesOptions;

  constructor(options: IntegrationHomesOptions) {
    this.#options = options;
  }

  /** Fails with agent_not_installable for a name that has no hooks of ours. */
  find(selector: HomeSelector): { homes: readonly IntegrationHome[]; missing: readonly MissingHome[] } {
    const { agent, profile, allProfiles = false } = selector;
    if (profile !== undefined) {
      const claim = this.#claimOf(profile);
      if (claim === undefined || (agent !== undefined && claim.runtime !== agent)) {
        throw notInstallable(profile);
      }
      return { homes: group([{ ...claim, runtime: undefined, profile }], profile), missing: [] };
    }
    if (allProfiles) {
      return this.#ofProfiles(agent);
    }
    if (agent !== undefined) {
      return { homes: [this.#byName(agent)], missing: [] };
    }
    const { claims, missing } = this.#bare;
    return { homes: [...group(claims), ...this.#leftovers(claims)], missing };
  }

  #byName(name: string): IntegrationHome {
    const own = this.#options.agents.runtimeIds.includes(name) ? this.#claimOf(name) : undefined;
    if (own !== undefined) {
      return { ...homeOf(own, this.#bare.claims), name };
    }
    const handler = findHandler(name);
    if (handler === undefined) {
      throw notInstallable(name);
    }
    return this.#leftover(handler);
  }

  #ofProfiles(agent: string | undefined): ReturnType<IntegrationHomes["find"]> {
    const claims: Claim[] = [];
    const missing: MissingHome[] = [];
    const { agents } = this.#options;
    const runtimes = new Set(agents.runtimeIds);
    for (const name of agents.names.filter((each) => !runtimes.has(each))) {
      try {
        const claim = this.#claimOf(name);
        if (claim !== undefined && (agent === undefined || claim.runtime === agent)) {
          claims.push({ ...claim, runtime: undefined, profile: name });
        }
      } catch (cause) {
        if (!isProtocolError(cause)) throw cause;
        missing.push({ name, cause });
      }
    }
    return { homes: group(claims, agent), missing };
  }

  /** Of runtimes without a profile. */
  get #bare(): { readonly claims: readonly Claim[]; readonly missing: readonly MissingHome[] } {
    const claims: Claim[] = [];
    const missing: MissingHome[] = [];
    for (const name of this.#options.agents.runtimeIds) {
      try {
        const claim = this.#claimOf(name);
        if (claim !== undefined) claims.push(claim);
      } catch (cause) {
        if (!isProtocolError(cause)) throw cause;
        // A package that is switched off or damaged serves nobody; that is told by those who start agents.
        if (cause.code === "agent_config_dir_invalid") missing.push({ name, cause });
      }
    }
    return { claims, missing };
  }

  /** Undefined for an agent without hooks that we know. */
  #claimOf(name: string): Claim | undefined {
    const agent = this.#options.agents.find(name);
    const handler = findHandler(agent.definition.hooks?.handler ?? "");
    return handler === undefined
      ? undefined
      : { handler, runtime: agent.definition.id, path: this.#pathOf(agent, handler) };
  }

  #pathOf(agent: Agent, handler: HookHandler): string {
    const { agents, daemonEnv, home } = this.#options;
    const { variable, default: below } = agent.definition.configHome ?? handler.settings.configHome;
    const env = agents.environmentOf(agent);
    const own = env.get(variable) || daemonEnv[variable];
    return canonical(own ? absolute(own, variable) : join(env.get("HOME") ?? home, below));
  }

  /** Homes that no package speaks of any more, where hooks of ours may still be. */
  #leftovers(claims: readonly Claim[]): readonly IntegrationHome[] {
    const served = new Set(claims.map(({ handler }) => handler));
    return HANDLERS.filter((handler) => !served.has(handler)).map((handler) => this.#leftover(handler));
  }

  #leftover(handler: HookHandler): IntegrationHome {
    const { daemonEnv, home } = this.#options;
    const { variable, default: below } = handler.settings.configHome;
    const own = daemonEnv[variable];
    const path = canonical(own ? absolute(own, variable) : join(home, below));
    return { handler, path, runtimes: [], profiles: [], name: handler.id, isLeftover: true };
  }
}

function notInstallable(name: string): Error {
  const message = `there are no hooks for ${JSON.stringify(name.slice(0, 64))}`;
  return protocolError("agent_not_installable", { message, recover: "pohunek agents" });
}

/** Never expanded: an agent that gets `~/x` would look for a folder of this name, too. */
function absolute(path: string, variable: string): string {
  if (!isAbsolute(path)) {
    throw protocolError("agent_config_dir_invalid", { message: `${variable} is not an absolute path` });
  }
  return path;
}

function canonical(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // ENOENT: the agent has not been started yet; what is wrong otherwise shows when the settings are read.
    return path;
  }
}

function group(claims: readonly Claim[], name?: string): readonly IntegrationHome[] {
  const first = claims.filter((claim, at) => claims.findIndex((each) => isSameHome(each, claim)) === at);
  return first.map((claim) => {
    const home = homeOf(claim, claims);
    const [only, ...others] = home.runtimes;
    return { ...home, name: name ?? (others.length === 0 ? (only ?? claim.handler.id) : claim.handler.id) };
  });
}

function homeOf(claim: Claim, claims: readonly Claim[]): IntegrationHome {
  const all = claims.filter((each) => isSameHome(each, claim));
  const { handler, path } = claim;
  return {
    handler,
    path,
    runtimes: all.flatMap(({ runtime }) => runtime ?? []),
    profiles: all.flatMap(({ profile }) => profile ?? []),
    name: handler.id,
    isLeftover: false,
  };
}

function isSameHome(left: Claim, right: Claim): boolean {
  return left.handler === right.handler && left.path === right.path;
}
