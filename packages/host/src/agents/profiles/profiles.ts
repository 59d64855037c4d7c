import { isProtocolError, isRuntimeId } from "@pohunek/protocol/wire";
import type { ContainedFolder } from "../contained-file.ts";
import { listContained, readContained } from "../contained-file.ts";
import { invalidProfile, NAME_MEANING, parseProfile } from "./parse-profile.ts";
import type { PackagePin } from "./profile.ts";
import { ProfileFile } from "./profile-file.ts";

const SUFFIX = ".toml";
const MAX_PROFILE_BYTES = 65_536;
const MAX_MANIFEST_BYTES = 262_144;
/** What is beyond is not looked at: nobody has so many accounts. */
const MAX_PROFILES = 256;

export interface ProfilesOptions {
  /** Folder with one file for each profile, called after it. */
  readonly folder: string;
  /** Folder with the host's own detection manifests. */
  readonly manifestFolder: string;
  readonly uid: number;
}

/** The profiles of this host. They are read again each time, so an edit counts at once. */
export class Profiles {
  readonly #files: ContainedFolder;
  readonly #manifests: ContainedFolder;

  constructor({ folder, manifestFolder, uid }: ProfilesOptions) {
    this.#files = { path: folder, uid, maxBytes: MAX_PROFILE_BYTES };
    this.#manifests = { path: manifestFolder, uid, maxBytes: MAX_MANIFEST_BYTES };
  }

  get names(): readonly string[] {
    return listContained(this.#files, SUFFIX).slice(0, MAX_PROFILES);
  }

  /** Undefined when there is none of this name. Fails with invalid_profile. */
  find(name: string): ProfileFile | undefined {
    if (!isRuntimeId(name)) {
      if (this.names.includes(name)) throw invalidProfile(name, `its name must be ${NAME_MEANING}`);
      return undefined;
    }
    const file = readContained(this.#files, `${name}${SUFFIX}`);
    if (file === undefined) return undefined;
    if (file.fault !== undefined) throw invalidProfile(name, `its file ${file.fault}`);
    const profile = parseProfile(name, file.text);
    const manifestText = this.#readManifest(name, profile.manifest);
    return new ProfileFile({ profile, text: file.text, manifestText, isPrivate: file.isPrivate });
  }

  /** The packages that profiles are bound to. What can't be read binds nothing. */
  get pins(): readonly PackagePin[] {
    return this.names.flatMap((name) => {
      try {
        return this.find(name)?.profile.pin ?? [];
      } catch (cause) {
        if (isProtocolError(cause, "invalid_profile")) return [];
        throw cause;
      }
    });
  }

  #readManifest(name: string, manifest: string | undefined): string | undefined {
    if (manifest === undefined) return undefined;
    const file = readContained(this.#manifests, `${manifest}${SUFFIX}`);
    if (file === undefined) throw invalidProfile(name, "manifest names none that this host has");
    if (file.fault !== undefined) throw invalidProfile(name, `manifest names a file that ${file.fault}`);
    return file.text;
  }
}
