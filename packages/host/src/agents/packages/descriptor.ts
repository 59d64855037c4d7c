import { isRuntimeId, protocolError } from "@pohunek/protocol/wire";
import type { DetectionManifest } from "../detection/manifest.ts";
import { ManifestError, parseManifest } from "../detection/parse-manifest.ts";
import type { RuntimeDefinition } from "../runtime-definition.ts";
import { readChannel, readHooks, readInput, readStop, readTranscripts } from "./behaviour-tables.ts";
import { readConfigHome, readLaunch, readNativeReference, readTemplates, readVersionProbe } from "./launch-tables.ts";
import { TomlTable } from "./toml-table.ts";

export const DESCRIPTOR_FILE = "runtime.toml";
export const DETECTION_FILE = "detection.toml";

/** Format of runtime.toml that this release reads. */
const SCHEMA = 1;
const MAX_DESCRIPTOR_BYTES = 65_536;
const MAX_DETECTION_BYTES = 262_144;
const MAX_PREFERENCE = 1000;

/** What a package says of itself and of the one runtime that it provides. */
export interface Descriptor {
  readonly packageId: string;
  readonly packageVersion: string;
  readonly runtime: RuntimeDefinition;
}

export interface DescriptorFiles {
  /** runtime.toml */
  readonly descriptor: Uint8Array;
  /** detection.toml */
  readonly detection: Uint8Array;
}

/**
 * Parses a package's description. Fails with package_descriptor_invalid, which names the field, and with
 * package_incompatible for a format of another release. Neither tells contents.
 */
export function parseDescriptor(files: DescriptorFiles): Descriptor {
  const file = new TomlTable(parseToml(readText(files.descriptor, DESCRIPTOR_FILE, MAX_DESCRIPTOR_BYTES)), CODE);
  const schema = file.integer("schema", { min: 0, max: 1_000_000, absent: 0 });
  if (schema !== SCHEMA) {
    throw protocolError("package_incompatible", {
      message: `schema is not ${SCHEMA}, the one that this release reads`,
    });
  }
  const identity = file.table("package");
  const packageId = readId(identity, "id");
  const packageVersion = identity.text("version", RELEASE);
  identity.end();
  const runtime = readRuntime(file, readText(files.detection, DETECTION_FILE, MAX_DETECTION_BYTES));
  file.end();
  return { packageId, packageVersion, runtime };
}

const ID_MEANING = "lower-case letters, digits, '.', '_' and '-', at most 64, with no '..'";
const CODE = "package_descriptor_invalid";
const RELEASE = { maxBytes: 32, pattern: /^\d+\.\d+\.\d+$/, meaning: "a release of three numbers" };
const PROCESS_NAME = { maxBytes: 64, pattern: /^[^/]+$/, meaning: "a file name" };

function readRuntime(file: TomlTable, detection: string): RuntimeDefinition {
  const table = file.table("runtime");
  const launch = readLaunch(file.table("launch"));
  const nativeReference = readNativeReference(file.optionalTable("native_reference"));
  const runtime: RuntimeDefinition = {
    id: readId(table, "id"),
    displayName: table.text("display_name", { maxBytes: 64 }),
    provenWith: table.optionalText("proven_with", { maxBytes: 64 }),
    preference: table.integer("preference", { min: 0, max: MAX_PREFERENCE, absent: 0 }),
    processNames: table.texts("process_names", { ...PROCESS_NAME, min: 1, max: 16 }),
    launch,
    versionProbe: readVersionProbe(file.optionalTable("version_probe")),
    configHome: readConfigHome(file.optionalTable("config_home")),
    nativeReference,
    ...readTemplates(file, { launch, nativeReference }),
    input: readInput(file.table("input")),
    stop: readStop(file.optionalTable("stop")),
    transcripts: readTranscripts(file.optionalTable("transcripts")),
    hooks: readHooks(file.optionalTable("hooks")),
    channel: readChannel(file.optionalTable("channel")),
    detection: readDetection(detection),
  };
  table.end();
  return runtime;
}

function readDetection(text: string): DetectionManifest {
  try {
    return parseManifest(text);
  } catch (cause) {
    if (!(cause instanceof ManifestError)) throw cause;
    throw protocolError(CODE, { message: `${DETECTION_FILE}: ${cause.message}`, cause });
  }
}

function readId(table: TomlTable, name: string): string {
  const id = table.text(name, { maxBytes: 64 });
  if (!isRuntimeId(id)) throw table.wrong(name, `must be ${ID_MEANING}`);
  return id;
}

function readText(bytes: Uint8Array, name: string, limit: number): string {
  if (bytes.length > limit) throw protocolError(CODE, { message: `${name} has more than ${limit} bytes` });
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw protocolError(CODE, { message: `${name} is not UTF-8`, cause });
  }
}

function parseToml(text: string): unknown {
  try {
    return Bun.TOML.parse(text);
  } catch {
    // The parser's own message repeats what the file holds.
    throw protocolError(CODE, { message: `${DESCRIPTOR_FILE} is not valid TOML` });
  }
}
