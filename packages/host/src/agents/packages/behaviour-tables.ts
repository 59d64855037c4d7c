/** The tables of runtime.toml about a program that runs: input, stopping, transcripts, hooks and its own channel. */

import type { AgentChannel, InputRules, RuntimeDefinition, StopRules, Transcripts } from "../runtime-definition.ts";
import { ARGUMENTS, faultOfTemplate, PORT } from "./argv-template.ts";
import { RELATIVE_FOLDER } from "./launch-tables.ts";
import type { TextRule, TomlTable } from "./toml-table.ts";

const KEYS: TextRule = { maxBytes: 16, isKeys: true };
const NAME: TextRule = { maxBytes: 64, pattern: /^[a-z0-9][a-z0-9_-]*$/, meaning: "a lower-case name" };
const URL_PATH: TextRule = { maxBytes: 256, pattern: /^\/[!-~]*$/, meaning: "a path that starts with /" };
const ESCAPE = "\u001b";
const MAX_SUBMIT_DELAY_MS = 5000;
const MAX_STARTUP_GRACE_MS = 60_000;
const MAX_INTERRUPT_GAP_MS = 2000;
const MAX_STOP_GRACE_MS = 60_000;
const MAX_CLEAR_REPEAT = 1024;

export function readInput(table: TomlTable): InputRules {
  const input: InputRules = {
    bracketedPaste: table.flag("bracketed_paste", true),
    submitDelayMs: table.integer("submit_delay_ms", { min: 0, max: MAX_SUBMIT_DELAY_MS, absent: 0 }),
    submitDelayConfigurable: table.flag("submit_delay_configurable", false),
    textPolicy: table.choice("text_policy", ["unrestricted", "hermes_safe_text"]),
    ready: table.choice("ready", ["bracketed_paste", "screen_idle"]),
    startupGraceMs: table.integer("startup_grace_ms", { min: 0, max: MAX_STARTUP_GRACE_MS, absent: 0 }),
    clearLine: readClearLine(table.optionalTable("clear_line")),
    midTurn: table.choice("mid_turn", ["queued", "steering", "cuts_request"]),
    restoresInterrupted: table.flag("restores_interrupted", false),
    interruptKeys: table.optionalText("interrupt_keys", KEYS) ?? ESCAPE,
    interruptGapMs: optionalTime(table, "interrupt_gap_ms", MAX_INTERRUPT_GAP_MS),
  };
  table.end();
  return input;
}

function readClearLine(table: TomlTable | undefined): InputRules["clearLine"] {
  if (table === undefined) return undefined;
  const clear = {
    keys: table.text("keys", KEYS),
    repeat: table.integer("repeat", { min: 1, max: MAX_CLEAR_REPEAT, absent: 1 }),
  };
  table.end();
  return clear;
}

function optionalTime(table: TomlTable, name: string, max: number): number | undefined {
  return table.has(name) ? table.integer(name, { min: 0, max, absent: 0 }) : undefined;
}

export function readStop(table: TomlTable | undefined): StopRules {
  if (table === undefined) return { signalGroup: true };
  const stop = {
    signalGroup: table.flag("signal_group", true),
    graceMs: optionalTime(table, "grace_ms", MAX_STOP_GRACE_MS),
  };
  table.end();
  return stop;
}

export function readTranscripts(table: TomlTable | undefined): Transcripts | undefined {
  if (table === undefined) return undefined;
  const transcripts = { root: table.text("root", RELATIVE_FOLDER), parser: table.text("parser", NAME) };
  table.end();
  return transcripts;
}

export function readHooks(table: TomlTable | undefined): RuntimeDefinition["hooks"] {
  if (table === undefined) return undefined;
  const schema = table.choice("schema", ["named_for_provider", "frozen_root_entrypoint"]);
  const hooks = { handler: table.text("handler", NAME), schema };
  table.end();
  return hooks;
}

export function readChannel(table: TomlTable | undefined): AgentChannel | undefined {
  if (table === undefined) return undefined;
  const channel: AgentChannel = {
    kind: table.choice("kind", ["sse"]),
    portArgs: table.texts("port_args", { ...ARGUMENTS, min: 1 }),
    path: table.text("path", URL_PATH),
    events: table.entries("events", { key: /^[\w.:-]{1,64}$/, value: { maxBytes: 64 }, max: 64 }),
  };
  const fault = faultOfTemplate(channel.portArgs, PORT);
  if (fault !== undefined) throw table.wrong("port_args", fault);
  table.end();
  return channel;
}
