import type { DetectionManifest } from "./detection/manifest.ts";

/** What a runtime package declares, parsed. All of it is data; nothing here names an agent. */

export interface RuntimeDefinition {
  /** RuntimeId grammar. Names the runtime: session.new's `agent`. */
  readonly id: string;
  readonly displayName: string;
  /** Absent for the compiled-in shell. */
  readonly source?: {
    readonly packageId: string;
    readonly packageVersion: string;
    readonly digest: string;
    readonly official: boolean;
  };
  /** Version of the agent with which this package was proven, for `doctor` and `agents`. */
  readonly provenWith?: string;
  /** Rank among installed agents when a command names none (`up`, `run`): higher is chosen first. */
  readonly preference: number;
  readonly launch: LaunchTemplate;
  readonly versionProbe?: VersionProbe;
  readonly configHome?: ConfigHome;
  readonly nativeReference?: NativeReference;
  /** Whole argv after the program, one token exactly "{reference}". Absent: not resumable. */
  readonly resumeArgs?: readonly string[];
  /** As resumeArgs; "{new_reference}" may occur once where the strategy is `assigned`. */
  readonly forkArgs?: readonly string[];
  readonly input: InputRules;
  readonly stop: StopRules;
  readonly transcripts?: Transcripts;
  readonly hooks?: { readonly handler: string; readonly schema: "named_for_provider" | "frozen_root_entrypoint" };
  readonly channel?: AgentChannel;
  /** Base names by which a foreground process is recognised as this agent (P-SD-13, -19). */
  readonly processNames: readonly string[];
  readonly detection: DetectionManifest;
}

export interface LaunchTemplate {
  /** Bare file name, looked up in the launch PATH. */
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Tokens that carry our own reference at the first launch: one token exactly "{reference}". Strategy `assigned`. */
  readonly assignArgs?: readonly string[];
  /** The first prompt may travel as the last argument. */
  readonly promptArgument: boolean;
}
export interface VersionProbe {
  readonly parser: "semver-v1" | "semver-line-v1";
  readonly args: readonly string[];
  /** For semver-line-v1: a line with one "{version}". */
  readonly template?: string;
  /** [min, below) */
  readonly min: string;
  readonly below: string;
}
export interface ConfigHome {
  readonly variable: string /** relative to HOME */;
  readonly default: string;
}
export interface NativeReference {
  readonly kind: "id" | "path";
  readonly strategy: "assigned" | "reported" | "open_file" | "exit_text";
  /** open_file: base-name pattern of a file that the root process holds open, with one "{reference}" (e.g. "{reference}.lock"), under the config home. */
  readonly openFile?: { readonly directory: string; readonly name: string };
  /** exit_text: a line pattern on the last screen with one "{reference}". */
  readonly exitText?: string;
  /** Existence check before a resume: folder below the config home and a file-name pattern with one "{reference}". Depth 4, 50,000 entries. */
  readonly store?: { readonly directory: string; readonly name: string };
}
export interface InputRules {
  readonly bracketedPaste: boolean;
  readonly submitDelayMs: number;
  readonly submitDelayConfigurable: boolean;
  readonly textPolicy: "unrestricted" | "hermes_safe_text";
  readonly ready: "bracketed_paste" | "screen_idle";
  readonly startupGraceMs: number;
  /** Key bytes that clear one line of the composer, repeated; absent: never cleared. */
  readonly clearLine?: { readonly keys: string; readonly repeat: number };
  /** What a prompt does in the middle of a turn. */
  readonly midTurn: "queued" | "steering" | "cuts_request";
  /** The agent puts an interrupted prompt back into its composer. */
  readonly restoresInterrupted: boolean;
  /** Key bytes of an interrupt. */
  readonly interruptKeys: string;
  /** Time between two bytes of interruptKeys, where they must not come at once; absent: one write. */
  readonly interruptGapMs?: number;
}
export interface StopRules {
  /** Signal the whole process group and close the PTY (default true). */ readonly signalGroup: boolean;
  readonly graceMs?: number;
}
export interface Transcripts {
  readonly root: string;
  readonly parser: string;
}
/** The agent's own channel: an event stream at a loopback port that is passed to it by arguments. */
export interface AgentChannel {
  readonly kind: "sse";
  readonly portArgs: readonly string[];
  readonly path: string;
  readonly events: Readonly<Record<string, string>>;
}

/** Who knows runtimes. Implemented by agents/packages (registry + compiled-in shell); sessions and daemon see only this. */
export interface RuntimeSource {
  /** The selected, enabled runtime that serves the bare name; verified. Throws coded errors (runtime_not_installed, ...). */
  byName(id: string): RuntimeDefinition;
  /** Exactly this digest, selected or not, enabled or not. Throws runtime_not_installed, runtime_incompatible. */
  byDigest(digest: string, runtimeId: string): RuntimeDefinition;
  /** Whether new sessions may be started with this digest. */
  isEnabled(digest: string): boolean;
  /** Keeps a package from being taken away until its session is kept. Throws runtime_not_installed when it is gone. */
  hold(digest: string): Disposable;
  readonly all: readonly RuntimeDefinition[];
}
