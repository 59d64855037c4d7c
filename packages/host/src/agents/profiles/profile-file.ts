import { protocolError } from "@pohunek/protocol/wire";
import type { PackagePin, Profile } from "./profile.ts";
import type { ProfileKey } from "./profile-key.ts";
import { withoutPin, withPin } from "./profile-pin.ts";

/** What a session of a profile is started with, besides the file itself. */
export interface EffectiveLaunch {
  /** Digest of the package that serves the base; absent for the compiled-in shell. */
  readonly digest?: string;
  readonly program: string;
  readonly args: readonly string[];
}

export interface ProfileFileParts {
  readonly profile: Profile;
  readonly text: string;
  /** Of the detection manifest that the profile names. */
  readonly manifestText?: string;
  readonly isPrivate: boolean;
}

/** A profile as it is on disk at this moment. Its text is secret like the values in it. */
export class ProfileFile {
  readonly profile: Profile;
  /** Nobody else may read the file. */
  readonly isPrivate: boolean;
  readonly #text: string;
  readonly #manifestText: string | undefined;

  constructor({ profile, text, manifestText, isPrivate }: ProfileFileParts) {
    this.profile = profile;
    this.isPrivate = isPrivate;
    this.#text = text;
    this.#manifestText = manifestText;
  }

  /** The detection manifest that the profile names. */
  get manifestText(): string | undefined {
    return this.#manifestText;
  }

  /** The whole file with another pin. As secret as the file. */
  textWith(pin: PackagePin): string {
    return withPin(this.#text, pin);
  }

  /** Changes with everything that decides what a session of this profile runs, and with nothing else. */
  revision(key: ProfileKey, launch: EffectiveLaunch): string {
    return this.#revisionOf(key, this.#text, launch);
  }

  /**
   * Fails with agent_profile_changed when a session with this revision was started from something else. That the package
   * was pinned since then is no change: the file says no more than what was true already.
   */
  ensureUnchanged(key: ProfileKey, frozen: string, launch: EffectiveLaunch): void {
    if (frozen === this.revision(key, launch)) return;
    if (frozen === this.#revisionOf(key, withoutPin(this.#text), { ...launch, digest: undefined })) return;
    throw protocolError("agent_profile_changed", {
      message: `profile ${JSON.stringify(this.profile.name)} was changed since the session was started`,
    });
  }

  #revisionOf(key: ProfileKey, text: string, { digest, program, args }: EffectiveLaunch): string {
    const { base } = this.profile;
    const parts = [text, this.#manifestText ?? null, base ?? null, digest ?? null, program, ...args];
    return key.digest("profile-revision-1", parts);
  }
}
