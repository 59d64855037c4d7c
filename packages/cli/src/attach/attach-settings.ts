import { protocolError } from "@pohunek/protocol/wire";
import type { Settings } from "../config.ts";
import type { AttachAction, AttachKey } from "./attach-keys.ts";
import { readKeyName } from "./key-name.ts";

/** One row of the table of settings: everything that is known about a setting, documentation included. */
interface KeySetting {
  /** In config.toml: `attach.<name>`. */
  readonly name: string;
  readonly action: AttachAction;
  readonly default: string;
  /** Environment variable that wins over the file. */
  readonly env: string;
  readonly sentence: string;
  /** Whether `none` is a value. */
  readonly isOptional: boolean;
}

const KEY_SETTINGS: readonly KeySetting[] = [
  {
    name: "detach_key",
    action: "detach",
    default: "ctrl-]",
    env: "POHUNEK_DETACH_KEY",
    sentence: "Leaves an attached session, which goes on.",
    isOptional: false,
  },
  {
    name: "menu_key",
    action: "menu",
    default: "ctrl-\\",
    env: "POHUNEK_MENU_KEY",
    sentence: "Opens the menu of an attached session; `none` leaves every key but the one above to the session.",
    isOptional: true,
  },
];

const TABLE = "attach";
const NONE = "none";
const RULE = "must be ctrl- and one of a to z (but not i, j, m), ], \\, ^, _ or @";

/** The keys that an attach keeps for itself, as file and environment say. Nothing wrong is replaced by a default. */
export async function loadAttachKeys(settings: Settings): Promise<readonly AttachKey[]> {
  const path = `${settings.configRoot}/pohunek/config.toml`;
  const table = settings.configRoot === undefined ? {} : await readTable(path);
  const unknown = Object.keys(table).find((name) => KEY_SETTINGS.every((setting) => setting.name !== name));
  if (unknown !== undefined) throw invalid(`${path}: ${TABLE}.${unknown} is not a known setting`);
  const keys = KEY_SETTINGS.flatMap((setting) => {
    const given = settings.keyNames[setting.env];
    const where = given === undefined ? `${path}: ${TABLE}.${setting.name}` : setting.env;
    return readSetting(setting, given ?? table[setting.name] ?? setting.default, where);
  });
  const [first, second] = keys;
  if (first !== undefined && first.byte === second?.byte) {
    throw invalid(`${path}: ${KEY_SETTINGS.map(({ name }) => `${TABLE}.${name}`).join(" and ")} are the same key`);
  }
  return keys;
}

async function readTable(path: string): Promise<Readonly<Record<string, unknown>>> {
  let text: string;
  try {
    text = await Bun.file(path).text();
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return {};
    throw invalid(`${path} can't be read`, cause);
  }
  try {
    const file = Bun.TOML.parse(text) as Readonly<Record<string, unknown>>;
    const table = file[TABLE] ?? {};
    if (typeof table === "object" && !Array.isArray(table)) return table as Readonly<Record<string, unknown>>;
  } catch (cause) {
    throw invalid(`${path} is not valid TOML: ${(cause as Error).message}`, cause);
  }
  throw invalid(`${path}: ${TABLE} is not a table`);
}

function readSetting(setting: KeySetting, value: unknown, where: string): readonly AttachKey[] {
  if (setting.isOptional && value === NONE) return [];
  const key = typeof value === "string" ? readKeyName(setting.action, value) : undefined;
  if (key === undefined) throw invalid(`${where} ${RULE}${setting.isOptional ? `, or ${NONE}` : ""}`);
  return [key];
}

function invalid(message: string, cause?: unknown): Error {
  return protocolError("config_invalid", { message, cause });
}

/** The part of docs/config.md that is about this program. */
export function renderAttachSettings(): string {
  const rows = KEY_SETTINGS.map(({ name, default: normal, env, sentence }) =>
    ["", `\`${TABLE}.${name}\``, "key", `\`${normal}\``, `\`${env}\``, sentence, ""].join(" | ").trim(),
  );
  return [
    "## Of the command line",
    "",
    "Printed from the table in `packages/cli/src/attach/attach-settings.ts`. Read from the same file by `attach`, `run` and",
    "`up --attach`. A key is written `ctrl-` and one of `a` to `z` (but not `i`, `j`, `m`), `]`, `\\`, `^`, `_`, `@`.",
    "",
    "| key | type | default | variable | meaning |",
    "| --- | --- | --- | --- | --- |",
    ...rows,
    "",
  ].join("\n");
}
