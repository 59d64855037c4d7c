import type { ParsedParamsOf, ReplyOf } from "@pohunek/protocol";
import { isProtocolError, protocolError } from "@pohunek/protocol/wire";
import type { Integration } from "../../agents/integration/integration.ts";
import type { IntegrationHome, IntegrationHomes } from "../../agents/integration/integration-homes.ts";
import type { Handlers } from "../dispatcher.ts";
import type { Origin } from "../origin.ts";

export interface IntegrationMethodsOptions {
  readonly homes: IntegrationHomes;
  readonly integration: Integration;
  /** The words that run this program. */
  readonly program: readonly string[];
}

type IntegrationMethods = Pick<
  Handlers,
  "integration.install" | "integration.status" | "integration.doctor" | "integration.uninstall"
>;
type Selectors = ParsedParamsOf<"integration.install">;
type Status = ReplyOf<"integration.status">["agents"][number];
type Failure = NonNullable<ReplyOf<"integration.install">["failed"]>[number];

/** Of what we write into settings. */
const VERSION = 1;

/** Hooks in agents' settings. Directories are shown, values of variables never. */
export function integrationMethods(options: IntegrationMethodsOptions): IntegrationMethods {
  const { homes, integration, program } = options;
  const [hookPath = ""] = program;
  const find = (params: Selectors, origin: Origin): Found => findHomes(homes, params, origin);
  return {
    "integration.install": (params, { origin }) => {
      const found = find(params, origin);
      const { done, failed } = eachHome(found, (home) => ({
        agent: home.name,
        hook_path: hookPath,
        config_paths: [integration.install(home)],
        cleanup_incomplete: [],
        ...homeField(home, found),
      }));
      return { installed: done, ...(failed.length === 0 ? {} : { failed }) };
    },
    "integration.status": (params, { origin }) => {
      const found = find(params, origin);
      return { agents: found.homes.map((home) => statusOf(home, found, options)) };
    },
    "integration.doctor": (params, { origin }) => {
      const found = find(params, origin);
      const agents = found.homes.map((home) => {
        const findings = integration.examine(home).map((finding) => ({ ...finding }));
        const ok = findings.every(({ severity }) => severity === "info");
        return { agent: home.name, ok, status: statusOf(home, found, options), findings, ...homeField(home, found) };
      });
      const missing = found.missing.map(({ name, cause }) => ({
        agent: name,
        ok: false,
        findings: [{ code: codeOf(cause), severity: "error", summary: cause.message }],
      }));
      const all = [...agents, ...missing];
      return { agents: all, ok: all.every(({ ok }) => ok) };
    },
    "integration.uninstall": (params, { origin }) => {
      const found = find(params, origin);
      const { done, failed } = eachHome(found, (home) => {
        const { removed, updated, kept } = integration.uninstall(home);
        return {
          agent: home.name,
          state: "not_installed" as const,
          removed_paths: removed,
          updated_paths: updated,
          preserved_paths: kept,
          cleanup_incomplete: [],
          ...homeField(home, found),
        };
      });
      return { uninstalled: done, ...(failed.length === 0 ? {} : { failed }) };
    },
  };
}

interface Found extends ReturnType<IntegrationHomes["find"]> {
  readonly isForProfiles: boolean;
  /** Each home is an act of its own, and one that fails leaves the others. */
  readonly isForAll: boolean;
}

function findHomes(homes: IntegrationHomes, params: Selectors, origin: Origin): Found {
  const { agent, profile, all_profiles: allProfiles = false } = params ?? {};
  const isForProfiles = profile !== undefined || allProfiles;
  if (isForProfiles && origin.kind !== "local_owner") {
    throw protocolError("local_only_method", { message: "profiles are chosen on the host itself only" });
  }
  const isForAll = allProfiles || (agent === undefined && profile === undefined);
  return { ...homes.find({ agent, profile, allProfiles }), isForProfiles, isForAll };
}

function eachHome<Done>(
  { homes, missing, isForAll, isForProfiles }: Found,
  act: (home: IntegrationHome) => Done,
): { readonly done: Done[]; readonly failed: Failure[] } {
  const done: Done[] = [];
  const failed: Failure[] = missing.map(({ name, cause }) => failureOf(name, cause));
  for (const home of homes) {
    try {
      done.push(act(home));
    } catch (cause) {
      if (!isForAll || !isProtocolError(cause)) throw cause;
      // Without a name it is about the agents that are in use here.
      const isOutOfPlace = home.isLeftover || (!isForProfiles && cause.code === "agent_config_dir_missing");
      if (!isOutOfPlace) failed.push(failureOf(home.name, cause));
    }
  }
  return { done, failed };
}

function failureOf(agent: string, cause: Error): Failure {
  const error = isProtocolError(cause) ? cause : protocolError("internal_error", { cause });
  return { agent, error: error.toWire() };
}

function codeOf(cause: Error): string {
  return isProtocolError(cause) ? cause.code : "internal_error";
}

function homeField(
  { profiles, runtimes }: IntegrationHome,
  { isForProfiles }: Found,
): { home?: { profiles: string[]; bare: boolean } } {
  return isForProfiles ? { home: { profiles: [...profiles], bare: runtimes.length > 0 } } : {};
}

function statusOf(home: IntegrationHome, found: Found, { integration, program }: IntegrationMethodsOptions): Status {
  const { state, fault, isThere, settings } = integration.status(home);
  const [hookPath = ""] = program;
  const isInstalled = state !== "not_installed";
  return {
    agent: home.name,
    available: isThere,
    expected_asset_paths: [hookPath],
    present_asset_paths: isInstalled ? [hookPath] : [],
    registration_paths: [settings],
    installed_version: isInstalled ? VERSION : null,
    expected_version: VERSION,
    state,
    recovery: fault !== undefined ? "repair_configuration" : state === "outdated" ? "reinstall" : "none",
    warnings: fault === undefined ? [] : [fault],
    ...homeField(home, found),
  };
}
