import type { AgentRuntime } from "@pohunek/protocol";
import type { Profiles } from "../agents/profiles/profiles.ts";
import type { Check, Finding } from "./doctor.ts";

export interface AgentChecksOptions {
  readonly profiles: Profiles;
  readonly list: () => Promise<readonly AgentRuntime[]>;
}

/** What the doctor says of agents: one check for all runtimes, one for each profile, one for the host's own manifests. */
export function agentChecks({ profiles, list }: AgentChecksOptions): Check[] {
  // All of them look at one list: the programs are asked once.
  let listing: Promise<readonly AgentRuntime[]> | undefined;
  const listOnce = (): Promise<readonly AgentRuntime[]> => {
    listing ??= list();
    return listing;
  };
  const names = profiles.names;
  return [
    { name: "agents", look: async () => lookAtRuntimes(await listOnce(), names) },
    ...names.map((name) => ({
      name: `agent_profile_${name}`,
      look: async () =>
        lookAtProfile(
          (await listOnce()).find(({ agent }) => agent === name),
          { name, profiles },
        ),
    })),
    { name: "detection manifests", look: () => lookAtManifests(profiles) },
  ];
}

function lookAtRuntimes(all: readonly AgentRuntime[], profiles: readonly string[]): Finding {
  // Nobody needs all agents: one that is missing is worth a warning only where there is no other, and no profile of it.
  const runtimes = all.filter(({ agent, preference = 0 }) => preference > 0 && !profiles.includes(agent));
  const configured = new Set(all.filter(({ agent }) => profiles.includes(agent)).map((row) => row.agent_base));
  const ready = runtimes.filter(isLaunchable);
  const faulty = runtimes.filter((row) => !isLaunchable(row) && row.reason_code !== "agent_binary_missing");
  const missing = runtimes.filter((row) => row.reason_code === "agent_binary_missing");
  const parts = [
    ...ready.map(({ agent, version }) => `${agent} ${version ?? "(version unknown)"}`),
    ...faulty.map(({ agent, reason = "not available" }) => `${agent}: ${reason}`),
    ...(missing.length === 0 ? [] : [`not installed: ${missing.map(({ agent }) => agent).join(", ")}`]),
  ];
  const isMissed = ready.length === 0 && missing.some(({ agent }) => !configured.has(agent));
  return {
    status: faulty.length > 0 || isMissed ? "warn" : "ok",
    detail: parts.length === 0 ? "no runtime but the shell" : parts.join("; "),
  };
}

function lookAtProfile(
  row: AgentRuntime | undefined,
  { name, profiles }: { name: string; profiles: Profiles },
): Finding {
  if (row === undefined) return { status: "fail", detail: "its file is gone" };
  if (!isLaunchable(row)) return { status: "fail", detail: row.reason ?? "can't be launched" };
  return profiles.find(name)?.isPrivate === true
    ? { status: "ok", detail: `can be launched${row.version === undefined ? "" : `, ${row.version}`}` }
    : { status: "warn", detail: "its file can be read by other users; mode 0600 is right" };
}

function lookAtManifests({ faultyManifests }: Profiles): Finding {
  return faultyManifests.length === 0
    ? { status: "ok", detail: "sound" }
    : { status: "warn", detail: faultyManifests.map(({ name, fault }) => `${name}: ${fault}`).join("; ") };
}

function isLaunchable({ available, supported }: AgentRuntime): boolean {
  return available && supported !== false;
}
