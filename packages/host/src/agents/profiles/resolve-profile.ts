import { isAbsolute } from "node:path";
import { protocolError } from "@pohunek/protocol/wire";
import type { RuntimeDefinition, RuntimeSource } from "../runtime-definition.ts";
import { invalidProfile } from "./parse-profile.ts";
import type { Profile } from "./profile.ts";

/** The runtime that every host has. */
const SHELL = "shell";

/**
 * The runtime that a profile makes of its base. Fails with invalid_profile for what does not fit the base, with
 * runtime_not_installed and runtime_incompatible for a base that can't be had.
 */
export function resolveProfile(profile: Profile, runtimes: RuntimeSource): RuntimeDefinition {
  const base = findBase(profile, runtimes);
  checkResume(profile, base);
  checkConfigHome(profile, base);
  const { program = base.launch.program, args, input } = profile;
  return {
    ...base,
    launch: { ...base.launch, program, args: [...base.launch.args, ...args] },
    input: {
      ...base.input,
      bracketedPaste: input.bracketedPaste ?? base.input.bracketedPaste,
      submitDelayMs: input.submitDelayMs ?? base.input.submitDelayMs,
      // A host may give a program more time, never less.
      startupGraceMs: Math.max(input.startupGraceMs ?? 0, base.input.startupGraceMs),
    },
    ...resumeOf(profile, base),
  };
}

function findBase({ name, base = SHELL, pin }: Profile, runtimes: RuntimeSource): RuntimeDefinition {
  if (base === SHELL) {
    if (pin !== undefined) throw invalidProfile(name, "package binds nothing: the shell comes from no package");
    return runtimes.byName(SHELL);
  }
  if (pin === undefined) {
    runtimes.byName(base);
    throw invalidProfile(
      name,
      "package and digest are missing: a package serves its base",
      `pohunek plugin profile migrate ${name}`,
    );
  }
  const runtime = runtimes.byDigest(pin.digest, base);
  if (runtime.source?.packageId !== pin.packageId) {
    throw protocolError("runtime_incompatible", {
      message: `profile ${JSON.stringify(name)}: the digest is that of another package`,
    });
  }
  return runtime;
}

function checkResume({ name, resume, input }: Profile, base: RuntimeDefinition): void {
  if (input.submitDelayMs !== undefined && base.id !== SHELL && !base.input.submitDelayConfigurable) {
    throw invalidProfile(name, "input.submit_delay_ms can't be set for this base");
  }
  if (resume === undefined) return;
  if (base.id === SHELL) throw invalidProfile(name, "resume is not for a shell, which has no conversation");
  if (!resume.isResumable) return;
  if (base.nativeReference?.strategy === "assigned") {
    throw invalidProfile(name, "resume can't be restated for a base that takes its reference at the launch");
  }
  if (resume.forkArgs !== undefined && base.forkArgs === undefined) {
    throw invalidProfile(name, "resume.fork_args is not for a base that can't fork");
  }
}

function checkConfigHome({ name, environment }: Profile, { configHome }: RuntimeDefinition): void {
  if (configHome === undefined) return;
  const home = environment.get(configHome.variable);
  if (home !== undefined && !isAbsolute(home)) {
    throw invalidProfile(name, `env.${configHome.variable} must be an absolute path`);
  }
}

type ResumeParts = Pick<RuntimeDefinition, "nativeReference" | "resumeArgs" | "forkArgs">;

function resumeOf({ resume, args }: Profile, base: RuntimeDefinition): ResumeParts {
  const { nativeReference } = base;
  if (resume === undefined) {
    const withArgs = (template: readonly string[] | undefined): readonly string[] | undefined =>
      template === undefined ? undefined : [...template, ...args];
    return { nativeReference, resumeArgs: withArgs(base.resumeArgs), forkArgs: withArgs(base.forkArgs) };
  }
  if (!resume.isResumable) return { nativeReference, resumeArgs: undefined, forkArgs: undefined };
  const { kind, args: resumeArgs, forkArgs } = resume;
  return { nativeReference: { strategy: "reported", ...nativeReference, kind }, resumeArgs, forkArgs };
}
