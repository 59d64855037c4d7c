import { isProtocolError, isRuntimeId, protocolError } from "@pohunek/protocol/wire";
import type { FrozenInput } from "../../store/native-launch.ts";
import { faultOfTemplate, REFERENCE } from "../packages/argv-template.ts";
import { TomlTable } from "../packages/toml-table.ts";
import { SecretEnvironment } from "../secret-environment.ts";
import type { PackagePin, Profile, ProfileResume } from "./profile.ts";

/** The grammar of the protocol for runtimes, packages and profiles. */
export const NAME_MEANING = "lower-case letters, digits, '.', '_' and '-', at most 64, with no '..'";
const ARGUMENT = { maxBytes: 4096, max: 64 };
const PROGRAM = {
  maxBytes: 4096,
  pattern: /^(?:\/.*[^/]|(?!\.{1,2}$|-)[^/]+)$/,
  meaning: "a bare file name or an absolute path",
};
const MANIFEST = {
  maxBytes: 64,
  pattern: /^(?!.*\.\.)[a-z0-9_][a-z0-9._-]*$/,
  meaning: "the name of a manifest of this host",
};
const DIGEST = {
  maxBytes: 71,
  pattern: /^sha256:[0-9a-f]{64}$/,
  meaning: "sha256: and 64 lower-case hexadecimal digits",
};
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;
const MAX_VARIABLES = 64;
const MAX_VALUE_BYTES = 32_768;
const MAX_SUBMIT_DELAY_MS = 5000;
const MAX_STARTUP_GRACE_MS = 60_000;
/** Each line of a longer file would cost a look at all of it. */
const MAX_LINES_SEARCHED = 1000;

/**
 * Reads the text of a profile. Fails with invalid_profile, which names the profile and the field, and never what a field
 * holds: a value may be a secret, and so may be whatever stands where a value was meant to be.
 */
export function parseProfile(name: string, text: string): Profile {
  const { env, ...rest } = parseToml(name, text);
  return refusingAs(name, () => {
    const file = new TomlTable(rest, "invalid_profile");
    const profile: Profile = {
      name,
      base: readBase(file),
      program: file.optionalText("program", PROGRAM),
      args: file.has("args") ? file.texts("args", { ...ARGUMENT, min: 0 }) : [],
      environment: readEnvironment(env),
      manifest: file.optionalText("manifest", MANIFEST),
      input: readInput(file.optionalTable("input")),
      resume: readResume(file.optionalTable("resume")),
      pin: readPin(file),
    };
    file.end();
    return profile;
  });
}

/** A refusal of this profile. `what` names the field first. */
export function invalidProfile(name: string, what: string, recover?: string): Error {
  return protocolError("invalid_profile", { message: `profile ${JSON.stringify(name)}: ${what}`, recover });
}

function refusingAs<Value>(name: string, read: () => Value): Value {
  try {
    return read();
  } catch (cause) {
    throw isProtocolError(cause, "invalid_profile") ? invalidProfile(name, cause.message) : cause;
  }
}

function parseToml(name: string, text: string): Readonly<Record<string, unknown>> {
  try {
    return Bun.TOML.parse(text) as Readonly<Record<string, unknown>>;
  } catch (cause) {
    // What follows a colon or stands in quotes is the file's own text.
    const [sentence = ""] = (cause as Error).message.replace(/^TOML Parse error: /, "").split(/\s*[:"'`]/);
    throw invalidProfile(name, `${sentence} (line ${faultyLine(text) ?? "unknown"})`);
  }
}

/** The parser does not tell where it stopped: it is the line after the longest beginning that is whole. */
function faultyLine(text: string): number | undefined {
  const lines = text.split("\n");
  if (lines.length > MAX_LINES_SEARCHED) return undefined;
  const isWhole = (count: number): boolean => {
    try {
      Bun.TOML.parse(lines.slice(0, count).join("\n"));
      return true;
    } catch {
      // The fault is in here, or something is not closed yet.
      return false;
    }
  };
  let whole = lines.length - 1;
  while (whole > 0 && !isWhole(whole)) whole -= 1;
  return whole + 1;
}

function readBase(file: TomlTable): string | undefined {
  const base = file.optionalText("agent_base", { maxBytes: 256 });
  if (base !== undefined && !isRuntimeId(base)) throw file.wrong("agent_base", `must be ${NAME_MEANING}`);
  return base;
}

function readEnvironment(table: unknown): SecretEnvironment {
  const values = new TomlTable(table ?? {}, "invalid_profile", "env");
  const entries = Object.entries((table ?? {}) as Readonly<Record<string, unknown>>);
  if (entries.length > MAX_VARIABLES) throw values.wrong("", `may have at most ${MAX_VARIABLES} variables`);
  return new SecretEnvironment(
    Object.fromEntries(
      entries.map(([variable, value]) => {
        if (!VARIABLE.test(variable)) throw values.wrong("", "has a name that no variable can have");
        if (variable.startsWith("POHUNEK_")) throw values.wrong(variable, "is reserved");
        if (typeof value !== "string") throw values.wrong(variable, "must be a string");
        if (value.includes("\0") || Buffer.byteLength(value) > MAX_VALUE_BYTES) {
          throw values.wrong(variable, `must have at most ${MAX_VALUE_BYTES} bytes and no NUL`);
        }
        return [variable, value];
      }),
    ),
  );
}

function readInput(table: TomlTable | undefined): FrozenInput {
  if (table === undefined) return {};
  const milliseconds = (name: string, max: number): number | undefined =>
    table.has(name) ? table.integer(name, { min: 0, max, absent: 0 }) : undefined;
  const input = {
    bracketedPaste: table.has("bracketed_paste") ? table.flag("bracketed_paste", false) : undefined,
    submitDelayMs: milliseconds("submit_delay_ms", MAX_SUBMIT_DELAY_MS),
    startupGraceMs: milliseconds("startup_grace_ms", MAX_STARTUP_GRACE_MS),
  };
  table.end();
  return input;
}

function readResume(table: TomlTable | undefined): ProfileResume | undefined {
  if (table === undefined) return undefined;
  if (table.has("resumable")) {
    if (table.flag("resumable", true)) throw table.wrong("resumable", "may only be false");
    table.end();
    return { isResumable: false };
  }
  const resume = {
    isResumable: true,
    kind: table.choice("reference_kind", ["id", "path"]),
    args: readTemplate(table, "args"),
    forkArgs: table.has("fork_args") ? readTemplate(table, "fork_args") : undefined,
  } as const;
  table.end();
  return resume;
}

function readTemplate(table: TomlTable, name: string): readonly string[] {
  const args = table.texts(name, { ...ARGUMENT, min: 1 });
  const fault = faultOfTemplate(args, REFERENCE);
  if (fault !== undefined) throw table.wrong(name, fault);
  return args;
}

function readPin(file: TomlTable): PackagePin | undefined {
  const packageId = file.optionalText("package", { maxBytes: 64 });
  const digest = file.optionalText("digest", DIGEST);
  if (packageId === undefined && digest === undefined) return undefined;
  if (digest === undefined) throw file.wrong("digest", "is missing beside package");
  if (packageId === undefined) throw file.wrong("package", "is missing beside digest");
  if (!isRuntimeId(packageId)) throw file.wrong("package", `must be ${NAME_MEANING}`);
  return { packageId, digest };
}
