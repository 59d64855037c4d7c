import type { ResultOf } from "@pohunek/protocol";
import type { FlagValues } from "../command-line/flag.ts";
import { plainText } from "../output/plain-text.ts";

export const HOME_ARGUMENTS = [
  { name: "agent", summary: "An agent of `pohunek agents`; all that have hooks without it", isOptional: true },
] as const;

/** Which configuration homes a command is about. */
export const HOME_FLAGS = {
  profile: { type: "text", summary: "The home that this profile uses", value: "name" },
  allProfiles: { type: "switch", summary: "The homes of all profiles, one after the other" },
} as const;

export function homeSelectors(
  agent: string | undefined,
  { profile, allProfiles }: FlagValues<typeof HOME_FLAGS>,
): { agent?: string; profile?: string; all_profiles?: boolean } {
  return {
    ...(agent === undefined ? {} : { agent }),
    ...(profile === undefined ? {} : { profile }),
    ...(allProfiles ? { all_profiles: true } : {}),
  };
}

type Failures = NonNullable<ResultOf<"integration.install">["failed"]>;

export function failureText(failed: Failures = []): string {
  return failed.map(({ agent, error }) => `${plainText(agent)}: ${plainText(error.msg)}\n`).join("");
}

/** The home that several users share, or that no bare agent uses, is told by its profiles. */
export function homeName({ agent, home }: { agent: string; home?: { profiles?: string[] } | undefined }): string {
  const profiles = home?.profiles ?? [];
  return plainText(profiles.length === 0 ? agent : profiles.join(", "));
}
