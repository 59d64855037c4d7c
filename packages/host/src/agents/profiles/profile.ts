import type { FrozenInput } from "../../store/native-launch.ts";
import type { SecretEnvironment } from "../secret-environment.ts";

/** What a profile says, as far as that can be told without the runtime that it builds on. */
export interface Profile {
  readonly name: string;
  /** The runtime that it builds on. Absent in old files, which run a program of their own or the user's shell. */
  readonly base?: string;
  /** A bare file name or an absolute path; that of the runtime when absent. */
  readonly program?: string;
  /** Come after those of the runtime. */
  readonly args: readonly string[];
  readonly environment: SecretEnvironment;
  /** Name of a detection manifest of this host, in place of the runtime's own. */
  readonly manifest?: string;
  readonly input: FrozenInput;
  readonly resume?: ProfileResume;
  readonly pin?: PackagePin;
}

export type ProfileResume =
  | { readonly isResumable: false }
  | {
      readonly isResumable: true;
      readonly kind: "id" | "path";
      readonly args: readonly string[];
      readonly forkArgs?: readonly string[];
    };

export interface PackagePin {
  readonly packageId: string;
  readonly digest: string;
}
