/** The tables of runtime.toml about how the program is found, started, resumed and forked. */

import type {
  ConfigHome,
  LaunchTemplate,
  NativeReference,
  RuntimeDefinition,
  VersionProbe,
} from "../runtime-definition.ts";
import { ARGUMENTS, faultOfTemplate, NEW_REFERENCE, REFERENCE } from "./argv-template.ts";
import { compareReleases, parseRelease } from "./semantic-version.ts";
import type { TextRule, TomlTable } from "./toml-table.ts";

const FILE_NAME: TextRule = { maxBytes: 64, pattern: /^(?!\.{1,2}$|-)[^/\\]+$/, meaning: "a bare file name" };
const VARIABLE: TextRule = { maxBytes: 64, pattern: /^[A-Z_][A-Z0-9_]*$/, meaning: "the name of a variable" };
/** Below a folder: no leading slash, no `.` or `..` parts. */
export const RELATIVE_FOLDER: TextRule = {
  maxBytes: 256,
  pattern: /^(?!\/)(?!(?:.*\/)?\.{1,2}(?:\/|$))[^\\]*[^/\\]$/,
  meaning: "a path below the folder, without '.' and '..'",
};
const NAME_PATTERN: TextRule = { maxBytes: 128, pattern: /^[^/]+$/, meaning: "a file name" };
/** Names that decide which program runs or whose it is; a package may not set them. Ours begin with POHUNEK_. */
const ENVIRONMENT_KEY =
  /^(?!POHUNEK_|LD_|DYLD_|(?:PATH|HOME|SHELL|USER|LOGNAME|TERM|PWD|XDG_[A-Z_]+)$)[A-Z_][A-Z0-9_]{0,63}$/;

export function readLaunch(table: TomlTable): LaunchTemplate {
  const launch: LaunchTemplate = {
    program: table.text("program", FILE_NAME),
    args: table.has("args") ? table.texts("args", { ...ARGUMENTS, min: 0 }) : [],
    env: table.entries("env", { key: ENVIRONMENT_KEY, value: { maxBytes: 4096 }, max: 32 }),
    assignArgs: readTemplate(table, "assign_args", [REFERENCE]),
    promptArgument: table.flag("prompt_argument", false),
  };
  refuseBraces(table, "args", launch.args);
  table.end();
  return launch;
}

export function readVersionProbe(table: TomlTable | undefined): VersionProbe | undefined {
  if (table === undefined) return undefined;
  const parser = table.choice("parser", ["semver-v1", "semver-line-v1"]);
  const template = table.optionalText("template", { maxBytes: 256 });
  const [min, below] = [readRelease(table, "min"), readRelease(table, "below")];
  const probe = { parser, args: table.texts("args", { ...ARGUMENTS, min: 1 }), template, min, below };
  if ((template === undefined) !== (parser === "semver-v1")) {
    throw table.wrong("template", "is needed for semver-line-v1, and for it alone");
  }
  if (template !== undefined) refusePlaceholder(table, "template", [template, "{version}"]);
  if (compareReleases(min, below) >= 0) throw table.wrong("below", "must be above min");
  table.end();
  return probe;
}

export function readConfigHome(table: TomlTable | undefined): ConfigHome | undefined {
  if (table === undefined) return undefined;
  const home = { variable: table.text("variable", VARIABLE), default: table.text("default", RELATIVE_FOLDER) };
  table.end();
  return home;
}

export function readNativeReference(table: TomlTable | undefined): NativeReference | undefined {
  if (table === undefined) return undefined;
  const reference: NativeReference = {
    kind: table.choice("kind", ["id", "path"]),
    strategy: table.choice("strategy", ["assigned", "reported", "open_file", "exit_text"]),
    openFile: readPlace(table.optionalTable("open_file")),
    exitText: table.optionalText("exit_text", { maxBytes: 256 }),
    store: readPlace(table.optionalTable("store")),
  };
  const { strategy, openFile, exitText } = reference;
  if (exitText !== undefined) refusePlaceholder(table, "exit_text", [exitText, REFERENCE]);
  if (strategy === "open_file" && openFile === undefined) throw table.wrong("open_file", "is missing");
  if (strategy === "exit_text" && exitText === undefined) throw table.wrong("exit_text", "is missing");
  table.end();
  return reference;
}

type Templates = Pick<RuntimeDefinition, "resumeArgs" | "forkArgs">;
type References = Pick<RuntimeDefinition, "launch" | "nativeReference">;

/** The table [resume], compared with what the rest of the file says about references. */
export function readTemplates(file: TomlTable, { launch, nativeReference }: References): Templates {
  const isAssigned = nativeReference?.strategy === "assigned";
  if ((launch.assignArgs !== undefined) !== isAssigned) {
    throw file.wrong("launch.assign_args", "goes with native_reference.strategy = assigned, and with it alone");
  }
  const table = file.optionalTable("resume");
  if (table === undefined) return {};
  if (nativeReference === undefined) throw file.wrong("resume", "needs the table native_reference");
  const templates = {
    resumeArgs: readTemplate(table, "args", [REFERENCE]) ?? missing(table, "args"),
    forkArgs: readTemplate(table, "fork_args", isAssigned ? [REFERENCE, NEW_REFERENCE] : [REFERENCE]),
  };
  table.end();
  return templates;
}

/** A list, where there is one, in which the first place occurs exactly once, and the others at most once. */
function readTemplate(
  table: TomlTable,
  name: string,
  [place, ...others]: readonly [string, ...string[]],
): readonly string[] | undefined {
  if (!table.has(name)) return undefined;
  const args = table.texts(name, { ...ARGUMENTS, min: 1 });
  const fault = faultOfTemplate(args, place, others);
  if (fault !== undefined) throw table.wrong(name, fault);
  return args;
}

function missing(table: TomlTable, name: string): never {
  throw table.wrong(name, "is missing");
}

function refuseBraces(table: TomlTable, name: string, args: readonly string[]): void {
  const fault = faultOfTemplate(args, undefined);
  if (fault !== undefined) throw table.wrong(name, fault);
}

function readPlace(table: TomlTable | undefined): NativeReference["store"] {
  if (table === undefined) return undefined;
  const place = { directory: table.text("directory", RELATIVE_FOLDER), name: table.text("name", NAME_PATTERN) };
  refusePlaceholder(table, "name", [place.name, REFERENCE]);
  table.end();
  return place;
}

function refusePlaceholder(table: TomlTable, name: string, [text, placeholder]: readonly [string, string]): void {
  const [before = "", after, ...more] = text.split(placeholder);
  if (after === undefined || more.length > 0 || /[{}]/.test(before + after)) {
    throw table.wrong(name, `must hold ${placeholder} exactly once and no other braces`);
  }
}

function readRelease(table: TomlTable, name: string): string {
  const text = table.text(name, { maxBytes: 32 });
  if (parseRelease(text) === undefined) throw table.wrong(name, "must be a release of three numbers");
  return text;
}
