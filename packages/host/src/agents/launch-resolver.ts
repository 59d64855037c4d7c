import { protocolError } from "@pohunek/protocol/wire";
import type { NativeLaunch, NativeReference } from "../store/native-launch.ts";
import type { SessionRecord } from "../store/session-record.ts";
import type { HookRules } from "../worker-api/hooks.ts";
import type { Agent, Agents } from "./agents.ts";
import { SHELL_RUNTIME } from "./agents.ts";
import type { Launch } from "./launch.ts";
import { commandLaunch, programLaunch } from "./launch.ts";
import { newReference } from "./native/reference.ts";
import { fillReferences } from "./native/reference-arguments.ts";
import { findProgram } from "./probe/find-program.ts";
import type { VersionProbes } from "./probe/version-probes.ts";
import type { RuntimeDefinition } from "./runtime-definition.ts";

export interface LaunchRequest {
  readonly agent: string;
  /** Program and arguments to run in place of the login shell. */
  readonly command?: readonly string[];
}

export interface RelaunchRequest {
  /** The session whose conversation is taken up. */
  readonly record: SessionRecord;
  /** Whole argv after the program, with all references put in. */
  readonly args: readonly string[];
  /** The current profile counts although it is not the one that the session was started from. */
  readonly acceptsProfileChange: boolean;
}

export interface LaunchResolverOptions {
  readonly agents: Agents;
  readonly probes: VersionProbes;
  readonly userShell: string;
}

/**
 * Finds out what a session runs. Everything that can be refused is refused here, before anything of the session exists:
 * names, profiles, packages, a missing program, an unsupported version.
 */
export class LaunchResolver {
  readonly #options: LaunchResolverOptions;

  constructor(options: LaunchResolverOptions) {
    this.#options = options;
  }

  async resolve({ agent: name, command = [] }: LaunchRequest): Promise<Launch> {
    const { agents, userShell } = this.#options;
    if (name === SHELL_RUNTIME) {
      return { agent: SHELL_RUNTIME, agentBase: SHELL_RUNTIME, ...commandLaunch(command, userShell) };
    }
    if (command.length > 0) {
      throw protocolError("bad_request", { message: "only the agent shell takes a command" });
    }
    const agent = agents.findForLaunch(name);
    const nativeLaunch = this.#freeze(agent);
    if (agent.definition.id === SHELL_RUNTIME) {
      return this.#shellOfProfile(agent, nativeLaunch);
    }
    const nativeReference = assignReference(agent);
    const args = launchArgs(agent, nativeReference);
    return { ...(await this.#agentLaunch(agent, nativeLaunch, args)), nativeReference };
  }

  /**
   * As `resolve`, for a resume or a fork: program and arguments as they were frozen, the environment as the profile is now.
   * The launch carries what is frozen from now on.
   */
  async resolveAgain({ record, args, acceptsProfileChange }: RelaunchRequest): Promise<Launch> {
    const { agents } = this.#options;
    const frozen = record.nativeLaunch;
    if (frozen === undefined) throw protocolError("not_resumable");
    const { agent, profileRevision } = agents.findForRelaunch(record, acceptsProfileChange);
    return await this.#agentLaunch(agent, { ...frozen, profileRevision }, args);
  }

  async #agentLaunch(agent: Agent, nativeLaunch: NativeLaunch, args: readonly string[]): Promise<Launch> {
    const { agents, probes } = this.#options;
    const environment = agents.environmentOf(agent);
    const path = environment.get("PATH") ?? "";
    const program = findProgram(nativeLaunch.program, path);
    await probes.ensureSupported({ definition: agent.definition, program, path });
    return {
      agent: agent.name,
      agentBase: agent.definition.id,
      kind: "agent",
      argv: [program.name, ...args],
      executable: program.executable,
      program: program.name,
      environment,
      nativeLaunch,
      hooks: hookRules(agent.definition),
    };
  }

  #shellOfProfile(agent: Agent, nativeLaunch: NativeLaunch): Launch {
    const { agents, userShell } = this.#options;
    const environment = agents.environmentOf(agent);
    const { program: own, args = [] } = agent.file?.profile ?? {};
    const identity = { agent: agent.name, agentBase: SHELL_RUNTIME, environment, nativeLaunch };
    if (own === undefined) {
      const shell = commandLaunch([], userShell);
      return { ...identity, ...shell, argv: [...shell.argv, ...args] };
    }
    const { name, executable } = findProgram(own, environment.get("PATH") ?? "");
    return { ...identity, ...programLaunch(name, args), executable };
  }

  #freeze(agent: Agent): NativeLaunch {
    const { agents } = this.#options;
    const { source, nativeReference, resumeArgs, forkArgs } = agent.definition;
    const { program, args } = agents.effectiveLaunch(agent);
    return {
      package: source === undefined ? undefined : { id: source.packageId, digest: source.digest },
      profileRevision: agents.currentRevision(agent),
      program,
      args,
      reference:
        nativeReference === undefined ? undefined : { kind: nativeReference.kind, strategy: nativeReference.strategy },
      resumeArgs,
      forkArgs,
      input: agent.file?.profile.input,
    };
  }
}

function hookRules({ hooks, processNames, nativeReference }: RuntimeDefinition): HookRules | undefined {
  const kind = nativeReference?.kind;
  return hooks === undefined
    ? undefined
    : {
        provider: hooks.handler,
        schema: hooks.schema,
        process_names: processNames,
        ...(kind === undefined ? {} : { reference_kind: kind }),
      };
}

function assignReference({ definition: { nativeReference } }: Agent): NativeReference | undefined {
  return nativeReference?.strategy === "assigned"
    ? { kind: nativeReference.kind, value: newReference(), source: "assigned" }
    : undefined;
}

/** The reference comes before the arguments of a profile, which may end in a text of their own. */
function launchArgs({ definition, file }: Agent, reference: NativeReference | undefined): readonly string[] {
  const { args, assignArgs } = definition.launch;
  if (assignArgs === undefined || reference === undefined) return args;
  const own = file?.profile.args.length ?? 0;
  const assigned = fillReferences(assignArgs, { reference: reference.value });
  return [...args.slice(0, args.length - own), ...assigned, ...args.slice(args.length - own)];
}
