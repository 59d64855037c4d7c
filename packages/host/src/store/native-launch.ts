import { createHash } from "node:crypto";

const REFERENCE_KINDS = ["id", "path"] as const;
export type ReferenceKind = (typeof REFERENCE_KINDS)[number];

/** How an agent's own conversation becomes known: given by us at the launch, or learned afterwards in one of three ways. */
export const REFERENCE_SOURCES = ["assigned", "reported", "open_file", "exit_text"] as const;
export type ReferenceSource = (typeof REFERENCE_SOURCES)[number];

/** The name by which an agent finds one of its own conversations. */
export interface NativeReference {
  readonly kind: ReferenceKind;
  readonly value: string;
  readonly source: ReferenceSource;
  /** When the agent last began or ended something. */
  readonly lastActivityAt?: string;
}

/**
 * What a later resume or fork of an agent's conversation runs, frozen when the session was started: the profile or the
 * package may say something else by then. No environment is part of it, since that may hold secrets.
 */
export interface NativeLaunch {
  /** The package version that the session was started with. Absent: the compiled-in shell. */
  readonly package?: { readonly id: string; readonly digest: string };
  /** Revision of the profile that the session was started from; its name is the session's `agent`. */
  readonly profileRevision?: string;
  /** As it is looked up: a bare file name, or an absolute path of a profile. */
  readonly program: string;
  /** Arguments of a fresh launch, without a reference. */
  readonly args: readonly string[];
  readonly reference?: { readonly kind: ReferenceKind; readonly strategy: ReferenceSource };
  /** Whole argv after the program, one token exactly `{reference}`. Absent: the conversation cannot be resumed. */
  readonly resumeArgs?: readonly string[];
  /** The same for a fork; `{new_reference}` may occur once. */
  readonly forkArgs?: readonly string[];
  /** What the profile says about input in place of the package. */
  readonly input?: FrozenInput;
}

export interface FrozenInput {
  readonly bracketedPaste?: boolean;
  readonly submitDelayMs?: number;
  readonly startupGraceMs?: number;
}

/** The stored text of a launch: with a seal, by which it shows when it was edited, or moved to another session. */
export function sealLaunch(sessionId: string, launch: NativeLaunch): string {
  return JSON.stringify({ seal: sealOf(sessionId, launch), launch });
}

/** Undefined for a text that is not as it was written: nothing of it may ever be run. */
export function openSealedLaunch(sessionId: string, text: string): NativeLaunch | undefined {
  try {
    const { seal, launch } = JSON.parse(text) as { readonly seal: unknown; readonly launch: NativeLaunch };
    return seal === sealOf(sessionId, launch) ? readNativeLaunch(launch) : undefined;
  } catch {
    // SyntaxError, TypeError: then it is none of ours.
    return undefined;
  }
}

/** No secret is in it: who may write the store may start programs anyway. */
function sealOf(sessionId: string, launch: NativeLaunch): string {
  return createHash("sha256")
    .update(`${sessionId}\n${JSON.stringify(launch)}`)
    .digest("base64");
}

/** Reads what was stored. Undefined for anything else than exactly that: a conversation is then not resumed. */
export function readNativeLaunch(value: unknown): NativeLaunch | undefined {
  const launch = value as NativeLaunch;
  const { package: pinned, profileRevision, program, args, reference, resumeArgs, forkArgs, input } = launch;
  const isWhole =
    typeof program === "string" &&
    isTexts(args) &&
    (profileRevision === undefined || typeof profileRevision === "string") &&
    (resumeArgs === undefined || isTexts(resumeArgs)) &&
    (forkArgs === undefined || isTexts(forkArgs)) &&
    (pinned === undefined || (typeof pinned.id === "string" && typeof pinned.digest === "string")) &&
    (reference === undefined ||
      (REFERENCE_KINDS.includes(reference.kind) && REFERENCE_SOURCES.includes(reference.strategy)));
  if (!isWhole || !(input === undefined || isInput(input))) return undefined;
  return { package: pinned, profileRevision, program, args, reference, resumeArgs, forkArgs, input };
}

export function readNativeReference(value: unknown): NativeReference | undefined {
  const { kind, value: text, source, lastActivityAt } = value as NativeReference;
  const isWhole =
    REFERENCE_KINDS.includes(kind) &&
    REFERENCE_SOURCES.includes(source) &&
    typeof text === "string" &&
    (lastActivityAt === undefined || !Number.isNaN(Date.parse(lastActivityAt)));
  return isWhole ? { kind, value: text, source, lastActivityAt } : undefined;
}

function isInput(value: FrozenInput | null): boolean {
  if (typeof value !== "object" || value === null) return false;
  const isCount = (count: unknown): boolean => count === undefined || (typeof count === "number" && count >= 0);
  const { bracketedPaste, submitDelayMs, startupGraceMs } = value;
  const isFlag = bracketedPaste === undefined || typeof bracketedPaste === "boolean";
  return isFlag && isCount(submitDelayMs) && isCount(startupGraceMs);
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
