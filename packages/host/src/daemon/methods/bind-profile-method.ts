import { protocolError } from "@pohunek/protocol/wire";
import { SHELL_RUNTIME } from "../../agents/agents.ts";
import { findPackage } from "../../agents/packages/change-package.ts";
import type { PackageRecord } from "../../agents/packages/registry-state.ts";
import { invalidProfile } from "../../agents/profiles/parse-profile.ts";
import type { ProfileFile } from "../../agents/profiles/profile-file.ts";
import type { Profiles } from "../../agents/profiles/profiles.ts";
import type { Handlers } from "../dispatcher.ts";
import type { PackageCore } from "../package-core.ts";
import { infoOf, runtimeOf } from "./package-methods.ts";

export interface BindProfileOptions {
  readonly packages: PackageCore;
  readonly profiles: Profiles;
  readonly syncDirectory: (path: string) => void;
}

/** Writes into a profile which package serves its base: the version that serves the bare name, or the one that is named. */
export function bindProfileMethod(options: BindProfileOptions): Pick<Handlers, "package.bind_profile"> {
  const { packages, profiles, syncDirectory } = options;
  return {
    "package.bind_profile": ({ profile: name, digest, dry_run: isPreview }) => {
      const file = profiles.find(name);
      if (file === undefined) {
        throw protocolError("agent_profile_not_found", { message: `there is no profile ${JSON.stringify(name)}` });
      }
      const { base, record } = findBase(file, packages, digest);
      const runtime = packages.runtimes.byDigest(record.digest, base);
      const previous = file.profile.pin?.digest;
      const pin = { packageId: record.id, digest: record.digest };
      const isBound = previous === pin.digest && file.profile.pin?.packageId === pin.packageId;
      if (!isBound && !isPreview) profiles.bind(file, pin, syncDirectory);
      return {
        status: isBound ? "unchanged" : isPreview ? "preview" : "bound",
        profile: name,
        base,
        previous,
        package: infoOf(packages.registry, record),
        runtime: runtimeOf(runtime),
        reloaded: false,
      };
    },
  };
}

function findBase(
  { profile: { name, base } }: ProfileFile,
  { registry, runtimes }: PackageCore,
  digest: string | undefined,
): { base: string; record: PackageRecord } {
  if (base === undefined || base === SHELL_RUNTIME) {
    throw invalidProfile(name, "agent_base names no runtime of a package, so there is nothing to bind");
  }
  const record = findPackage(registry.state, digest ?? runtimes.byName(base).source?.digest ?? "");
  if (record.runtimeId !== base) {
    throw protocolError("runtime_incompatible", { message: `the package does not serve ${JSON.stringify(base)}` });
  }
  return { base, record };
}
