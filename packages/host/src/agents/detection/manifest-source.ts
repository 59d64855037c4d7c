import type { ContainedFolder } from "../contained-file.ts";
import { readContained } from "../contained-file.ts";
import type { Profiles } from "../profiles/profiles.ts";
import type { RuntimeSource } from "../runtime-definition.ts";
import type { DetectionManifest } from "./manifest.ts";
import { MANIFEST_LIMITS } from "./manifest.ts";
import { ManifestError, parseManifest } from "./parse-manifest.ts";

/** Which agent a session runs. */
export interface DetectedAgent {
  /** Runtime id, or name of a profile. */
  readonly name: string;
  readonly base: string;
  /** Of the package that the session was started with. */
  readonly digest?: string;
}

export interface ManifestSourceOptions {
  /** Folder with the host's own manifests: `<name>.toml`. */
  readonly folder: string;
  readonly uid: number;
  readonly runtimes: RuntimeSource;
  readonly profiles: Pick<Profiles, "find">;
}

/** Where the rules come from. */
export interface ChosenManifest {
  readonly manifest: DetectionManifest;
  readonly origin: string;
}

interface Parsed {
  readonly text: string;
  readonly manifest: DetectionManifest | undefined;
}

const NOTHING: ChosenManifest = { manifest: { rules: [] }, origin: "none" };

/**
 * The rules for an agent: the host's own file, called after the runtime or named by the profile, else the package's. Files
 * are read again each time, so an edit counts at once; the same text gives the same object.
 */
export class ManifestSource {
  readonly #options: ManifestSourceOptions;
  readonly #folder: ContainedFolder;
  readonly #parsed = new Map<string, Parsed>();

  constructor(options: ManifestSourceOptions) {
    this.#options = options;
    this.#folder = { path: options.folder, uid: options.uid, maxBytes: MANIFEST_LIMITS.sourceBytes };
  }

  /** Never fails: a file that can't be used leaves the package's rules in force, and the doctor says so. */
  find(agent: DetectedAgent): ChosenManifest {
    return this.#override(agent) ?? this.#ofPackage(agent) ?? NOTHING;
  }

  #override({ name, base }: DetectedAgent): ChosenManifest | undefined {
    if (name !== base) {
      const text = this.#profileText(name);
      if (text !== undefined) return this.#chosen(`profile ${name}`, text);
    }
    const file = readContained(this.#folder, `${base}.toml`);
    return file === undefined || file.fault !== undefined
      ? undefined
      : this.#chosen(`manifests/${base}.toml`, file.text);
  }

  #profileText(name: string): string | undefined {
    try {
      return this.#options.profiles.find(name)?.manifestText;
    } catch {
      // invalid_profile: the doctor tells it; a session that runs is not touched by it.
      return undefined;
    }
  }

  #ofPackage({ base, digest }: DetectedAgent): ChosenManifest | undefined {
    try {
      const { runtimes } = this.#options;
      const { detection } = digest === undefined ? runtimes.byName(base) : runtimes.byDigest(digest, base);
      return { manifest: detection, origin: `runtime ${base}` };
    } catch {
      // The package is gone or damaged: nobody knows this agent's screen.
      return undefined;
    }
  }

  #chosen(origin: string, text: string): ChosenManifest | undefined {
    const known = this.#parsed.get(origin);
    const parsed = known?.text === text ? known : { text, manifest: parseQuietly(text) };
    this.#parsed.set(origin, parsed);
    return parsed.manifest && { manifest: parsed.manifest, origin };
  }
}

function parseQuietly(text: string): DetectionManifest | undefined {
  try {
    return parseManifest(text);
  } catch (cause) {
    if (cause instanceof ManifestError) return undefined;
    throw cause;
  }
}
