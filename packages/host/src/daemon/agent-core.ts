import { join } from "node:path";
import type { AgentRuntime } from "@pohunek/protocol";
import { Agents } from "../agents/agents.ts";
import { agentPath } from "../agents/child-environment.ts";
import { Integration } from "../agents/integration/integration.ts";
import { IntegrationHomes } from "../agents/integration/integration-homes.ts";
import { listAgents } from "../agents/inventory.ts";
import { LaunchResolver } from "../agents/launch-resolver.ts";
import { VersionProbes } from "../agents/probe/version-probes.ts";
import { ProfileKey } from "../agents/profiles/profile-key.ts";
import type { Profiles } from "../agents/profiles/profiles.ts";
import type { RuntimeSource } from "../agents/runtime-definition.ts";
import { agentChecks } from "./agent-checks.ts";
import { openProfiles } from "./agent-folders.ts";
import type { Check } from "./doctor.ts";
import type { IntegrationMethodsOptions } from "./methods/integration-methods.ts";
import type { Roots } from "./roots.ts";
import type { Settings } from "./settings.ts";

export interface AgentCoreOptions {
  readonly roots: Roots;
  readonly settings: Pick<Settings, "agentsPath">;
  readonly runtimes: RuntimeSource;
  readonly daemonEnv: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly userShell: string;
  readonly uid: number;
  /** The words that run this program. */
  readonly program: readonly string[];
  readonly syncDirectory: (path: string) => void;
}

/** What this host can start besides shells: runtimes, profiles, and the programs that are there for them. */
export class AgentCore implements AsyncDisposable {
  readonly profiles: Profiles;
  readonly resolver: LaunchResolver;
  readonly integration: Pick<IntegrationMethodsOptions, "homes" | "integration" | "program">;
  readonly #agents: Agents;
  readonly #probes = new VersionProbes();

  constructor(options: AgentCoreOptions) {
    const { roots, settings, daemonEnv, home, userShell, uid } = options;
    this.profiles = openProfiles(roots, uid);
    const folders = settings.agentsPath.map((folder) => folder.replace(/^~(?=\/|$)/, home));
    this.#agents = new Agents({
      ...options,
      profiles: this.profiles,
      key: new ProfileKey(join(roots.data, "profile-revision.key"), uid),
      path: agentPath(daemonEnv, folders),
    });
    this.integration = {
      homes: new IntegrationHomes({ ...options, agents: this.#agents }),
      integration: new Integration(options),
      program: options.program,
    };
    this.resolver = new LaunchResolver({ agents: this.#agents, probes: this.#probes, userShell });
  }

  checks(): readonly Check[] {
    return agentChecks({ profiles: this.profiles, list: async () => await this.list() });
  }

  /** Everything that may be launched here. Asks programs for their versions. */
  async list(): Promise<readonly AgentRuntime[]> {
    return await listAgents({ agents: this.#agents, probes: this.#probes });
  }

  /** Ends what is being asked. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#probes[Symbol.asyncDispose]();
  }
}
