import { join } from "node:path";
import { ManifestSource } from "../agents/detection/manifest-source.ts";
import { Profiles } from "../agents/profiles/profiles.ts";
import type { RuntimeSource } from "../agents/runtime-definition.ts";
import type { Roots } from "./roots.ts";

type ConfigRoot = Pick<Roots, "config">;

/** The host's own detection manifests. */
function manifestFolder(roots: ConfigRoot): string {
  return join(roots.config, "manifests");
}

/** The profiles below the folder of the settings. */
export function openProfiles(roots: ConfigRoot, uid: number): Profiles {
  return new Profiles({ folder: join(roots.config, "agents"), manifestFolder: manifestFolder(roots), uid });
}

/** By what agents are judged: the host's own manifests, those of profiles, and those of packages. */
export function openManifests(
  roots: ConfigRoot,
  { uid, runtimes }: { uid: number; runtimes: RuntimeSource },
): ManifestSource {
  return new ManifestSource({ folder: manifestFolder(roots), uid, runtimes, profiles: openProfiles(roots, uid) });
}
