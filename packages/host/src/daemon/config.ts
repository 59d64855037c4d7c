import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import type { ProtocolError } from "@pohunek/protocol/wire";
import { protocolError } from "@pohunek/protocol/wire";
import type { Setting, Settings } from "./settings.ts";
import { SETTINGS } from "./settings.ts";

export interface OverlayConfig {
  readonly id: string;
  readonly address: string;
  /** 0 takes a free port. */
  readonly port: number;
}

export interface Config {
  readonly settings: Settings;
  readonly overlays: readonly OverlayConfig[];
}

type Environment = Readonly<Record<string, string | undefined>>;
type Table = Readonly<Record<string, unknown>>;

/** In the same file, but the command line's own: it checks it when it reads it. */
const COMMAND_LINE_TABLE = "attach";
const OVERLAY_ID = /^[a-z0-9][a-z0-9_-]{0,63}$/;
const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** A colon would make two of it. */
const FOLDER = /^(?:\/|~\/|~$)[^:\0]*$/;
const INTEGER = /^\d{1,15}$/;

/**
 * Reads config.toml (which may be absent) and the variables of the settings table. Nothing wrong is replaced by a default:
 * the error names the file or variable, the key and what is wrong with it.
 */
export function loadConfig(path: string, env: Environment): Config {
  const file = readToml(path);
  refuseUnknownKeys(path, file);
  const values: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries<Setting>(SETTINGS)) {
    values[name] = readSetting(setting, { path, file, env });
  }
  // The table's own types describe what readSetting has checked row by row.
  const settings = values as Settings;
  if (settings.maxWaitersPerSession > settings.maxWaiters) {
    const message = `${path}: ${SETTINGS.maxWaitersPerSession.key} is greater than ${SETTINGS.maxWaiters.key}`;
    throw protocolError("observation_limits_invalid", { message });
  }
  return { settings, overlays: readOverlays(path, file["overlay"], settings.remotePort) };
}

function readToml(path: string): Table {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") {
      return {};
    }
    throw configInvalid(`${path} can't be read`, cause);
  }
  try {
    return Bun.TOML.parse(text) as Table;
  } catch (cause) {
    throw configInvalid(`${path} is not valid TOML: ${(cause as Error).message}`, cause);
  }
}

function refuseUnknownKeys(path: string, file: Table): void {
  const known = new Set(Object.values<Setting>(SETTINGS).map((setting) => setting.key));
  for (const [table, content] of Object.entries(file)) {
    if (table === "overlay" || table === COMMAND_LINE_TABLE) {
      continue;
    }
    if (!isTable(content)) {
      throw configInvalid(`${path}: ${table} is not a known table`);
    }
    for (const name of Object.keys(content)) {
      if (!known.has(`${table}.${name}`)) {
        throw configInvalid(`${path}: ${table}.${name} is not a known setting`);
      }
    }
  }
}

function readSetting(setting: Setting, from: { path: string; file: Table; env: Environment }): unknown {
  const fromEnv = setting.env === undefined ? undefined : from.env[setting.env];
  if (setting.env !== undefined && fromEnv !== undefined && fromEnv !== "") {
    return check(setting, setting.type === "integer" && INTEGER.test(fromEnv) ? Number(fromEnv) : fromEnv, setting.env);
  }
  const [table = "", name = ""] = setting.key.split(".");
  const content = from.file[table];
  const value = isTable(content) ? content[name] : undefined;
  return value === undefined ? setting.default : check(setting, value, `${from.path}: ${setting.key}`);
}

function check(setting: Setting, value: unknown, where: string): unknown {
  switch (setting.type) {
    case "integer": {
      const [least, most] = setting.range;
      const isRight = typeof value === "number" && Number.isInteger(value) && value >= least && value <= most;
      return isRight ? value : refuse(setting, where, `must be an integer from ${least} to ${most}`);
    }
    case "choice":
      return setting.choices.includes(value as string)
        ? value
        : refuse(setting, where, `must be one of ${setting.choices.join(", ")}`);
    case "names":
      return isListOf(value, VARIABLE_NAME) ? value : refuse(setting, where, "must be a list of variable names");
    case "folders":
      return isListOf(value, FOLDER) ? value : refuse(setting, where, "must be a list of absolute paths");
    case "text":
      return typeof value === "string" ? value : refuse(setting, where, "must be text");
  }
}

function isListOf(value: unknown, pattern: RegExp): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === "string" && pattern.test(item));
}

function refuse(setting: Setting, where: string, rule: string): never {
  const code = setting.key.startsWith("observation.") ? "observation_limits_invalid" : "config_invalid";
  throw protocolError(code, { message: `${where} ${rule}` });
}

function configInvalid(message: string, cause?: unknown): ProtocolError {
  return protocolError("config_invalid", { message, cause });
}

function overlayInvalid(message: string): ProtocolError {
  return protocolError("overlay_registry_invalid", { message });
}

function readOverlays(path: string, overlays: unknown, defaultPort: number): OverlayConfig[] {
  if (overlays === undefined) {
    return [];
  }
  if (!isTable(overlays)) {
    throw overlayInvalid(`${path}: overlay must be tables [overlay.<id>]`);
  }
  return Object.entries(overlays).map(([id, content]) => {
    const where = `${path}: overlay.${id}`;
    if (!OVERLAY_ID.test(id) || !isTable(content)) {
      throw overlayInvalid(`${where} is not a table with a lower-case name`);
    }
    return readOverlay(where, id, { port: defaultPort, ...content });
  });
}

function readOverlay(where: string, id: string, content: Table): OverlayConfig {
  const { address, port, ...rest } = content;
  const unknownKey = Object.keys(rest)[0];
  if (unknownKey !== undefined) {
    throw overlayInvalid(`${where}.${unknownKey} is not a known setting`);
  }
  if (typeof address !== "string" || isIP(address) === 0 || isWildcardOrMulticast(address)) {
    throw overlayInvalid(`${where}.address must be one IP address of this host, not a wildcard`);
  }
  if (typeof port !== "number" || !Number.isInteger(port) || port < 0 || port > 65_535) {
    throw overlayInvalid(`${where}.port must be an integer from 0 to 65535`);
  }
  return { id, address, port };
}

function isWildcardOrMulticast(address: string): boolean {
  if (isIP(address) === 4) {
    const first = Number(address.split(".")[0]);
    return first === 0 || first >= 224;
  }
  // Every spelling of the unspecified address (::, 0::0, ::0.0.0.0, the mapped 0.0.0.0) is zeros, colons and dots.
  return /^[0:.]+$/.test(address) || /^(0*:)*:?ffff:(0+\.0+\.0+\.0+|0+:0+)$/i.test(address) || /^ff/i.test(address);
}

function isTable(value: unknown): value is Table {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
