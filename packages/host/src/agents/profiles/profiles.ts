import { isProtocolError, isRuntimeId } from "@pohunek/protocol/wire";
import type { ContainedFolder } from "../contained-file.ts";
import { listContained, readContained } from "../contained-file.ts";
import { ManifestError, parseManifest } from "../detection/parse-manifest.ts";
import { writePin } from "./bind-profile.ts";
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

  /** Binds a profile to a package, in its file. */
  bind(file: ProfileFile, pin: PackagePin, syncDirectory: (path: string) => void): void {
    writePin({ folder: this.#files.path, file, pin, syncDirectory });
  }

  /** The host's own manifests that can't be used, whether or not a profile names them. */
  get faultyManifests(): readonly { readonly name: string; readonly fault: string }[] {
    return listContained(this.#manifests, SUFFIX).flatMap((name) => {
      const file = readContained(this.#manifests, `${name}${SUFFIX}`);
      const fault = file === undefined ? undefined : (file.fault ?? faultOfManifest(file.text));
      return fault === undefined ? [] : [{ name, fault }];
    });
  }

  #readManifest(name: string, manifest: string | undefined): string | undefined {
    if (manifest === undefined) return undefined;
    const file = readContained(this.#manifests, `${manifest}${SUFFIX}`);
    if (file === undefined) throw invalidProfile(name, "manifest names none that this host has");
    if (file.fault !== undefined) throw invalidProfile(name, `manifest names a file that ${file.fault}`);
    const fault = faultOfManifest(file.text);
    if (fault !== undefined) throw invalidProfile(name, `manifest names a file that is not valid: ${fault}`);
    return file.text;
  }
}

function faultOfManifest(text: string): string | undefined {
  try {
    parseManifest(text);
    return undefined;
  } catch (cause) {
    if (cause instanceof ManifestError) return cause.message;
    throw cause;
  }
}
