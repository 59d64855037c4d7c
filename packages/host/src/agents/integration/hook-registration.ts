import { isRecord, protocolError } from "@pohunek/protocol/wire";
import type { HookHandler } from "./hook-handler.ts";
import { withItem, withMember, withoutEntry } from "./json-edit.ts";
import type { JsonNode, JsonObjectNode } from "./json-text.ts";
import { parseJsonText, valueOf } from "./json-text.ts";

export type RegistrationState = "not_installed" | "current" | "outdated";

interface OwnEntry {
  readonly event: string;
  readonly group: number;
  readonly hook: number;
  /** Nothing else is in its group. */
  readonly isAlone: boolean;
  readonly value: unknown;
}

const NEW_FILE = "{}\n";

/** What an agent's settings run at an event: nothing outside of sessions, and never with a failure. */
export function commandOf(program: readonly string[], handler: string, event: string): string {
  return `test -z "$POHUNEK_SESSION_ID" || ${program.map(quote).join(" ")} hook ${handler} ${event} || true`;
}

/** How an agent's settings stand to our hooks. Fails with integration_settings_invalid. */
export function stateOf(text: string, handler: HookHandler, program: readonly string[]): RegistrationState {
  const own = ownEntries(parseSettings(text), handler);
  if (own.length === 0) {
    return "not_installed";
  }
  const events = Object.keys(handler.events);
  const isCurrent =
    own.length === events.length &&
    events.every((event) =>
      own.some((entry) => entry.event === event && Bun.deepEquals(entry.value, entryOf(handler, event, program))),
    );
  return isCurrent ? "current" : "outdated";
}

/** The settings with our hooks, once each, and all else as it was. */
export function withHooks(text: string | undefined, handler: HookHandler, program: readonly string[]): string {
  let result = withoutHooks(text ?? NEW_FILE, handler);
  for (const event of Object.keys(handler.events)) {
    result = withGroup(result, event, { hooks: [entryOf(handler, event, program)] });
  }
  return result;
}

/** The settings without our hooks. */
export function withoutHooks(text: string, handler: HookHandler): string {
  let result = text;
  for (let own = ownEntries(parseSettings(result), handler); own.length > 0; ) {
    const entry = own.at(-1) as OwnEntry;
    result = withoutOwn(result, entry);
    own = ownEntries(parseSettings(result), handler);
  }
  return result;
}

/** Whether nothing is left of a file that we made. */
export function isBare(text: string): boolean {
  return Object.keys(valueOf(parseSettings(text)) as object).length === 0;
}

function entryOf(handler: HookHandler, event: string, program: readonly string[]): object {
  const { timeout } = handler.settings;
  return { type: "command", command: commandOf(program, handler.id, event), timeout };
}

function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

function parseSettings(text: string): JsonObjectNode {
  let node: JsonNode;
  try {
    node = parseJsonText(text);
  } catch (cause) {
    if (cause instanceof SyntaxError) throw protocolError("integration_settings_invalid", { cause });
    throw cause;
  }
  const hooks = node.kind === "object" ? memberOf(node, "hooks") : undefined;
  const areSound =
    hooks === undefined || (hooks.kind === "object" && hooks.members.every(({ value }) => value.kind === "array"));
  const isTwice = ({ members }: JsonObjectNode): boolean =>
    new Set(members.map(({ key }) => key)).size < members.length;
  const isAmbiguous = node.kind === "object" && (isTwice(node) || (hooks?.kind === "object" && isTwice(hooks)));
  if (node.kind !== "object" || !areSound || isAmbiguous) {
    throw protocolError("integration_settings_invalid");
  }
  return node;
}

function memberOf(node: JsonObjectNode, key: string): JsonNode | undefined {
  return node.members.findLast((member) => member.key === key)?.value;
}

function hooksOf(settings: JsonObjectNode): JsonObjectNode | undefined {
  const hooks = memberOf(settings, "hooks");
  return hooks?.kind === "object" ? hooks : undefined;
}

function ownEntries(settings: JsonObjectNode, { id }: HookHandler): readonly OwnEntry[] {
  return (hooksOf(settings)?.members ?? []).flatMap(({ key: event, value }) =>
    asList(valueOf(value)).flatMap((group, groupAt) => {
      const hooks = isRecord(group) ? asList(group["hooks"]) : [];
      return hooks.flatMap((hook, hookAt) =>
        isOwn(hook, id)
          ? [{ event, group: groupAt, hook: hookAt, isAlone: hooks.every((each) => isOwn(each, id)), value: hook }]
          : [],
      );
    }),
  );
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** By what it runs, whichever release wrote it and wherever that one lay. */
function isOwn(hook: unknown, handler: string): boolean {
  const command = isRecord(hook) ? hook["command"] : undefined;
  return (
    typeof command === "string" &&
    command.startsWith('test -z "$POHUNEK_SESSION_ID" || ') &&
    new RegExp(` hook ${handler} \\S+ \\|\\| true$`).test(command)
  );
}

function withGroup(text: string, event: string, group: object): string {
  const settings = parseSettings(text);
  const hooks = hooksOf(settings);
  if (hooks === undefined) {
    return withMember(text, settings, { key: "hooks", value: { [event]: [group] } });
  }
  const groups = memberOf(hooks, event);
  return groups?.kind === "array"
    ? withItem(text, groups, group)
    : withMember(text, hooks, { key: event, value: [group] });
}

/** Takes one of ours away, and what it leaves empty above it. */
function withoutOwn(text: string, { event, group, hook, isAlone }: OwnEntry): string {
  const settings = parseSettings(text);
  const hooks = hooksOf(settings) as JsonObjectNode;
  const groups = memberOf(hooks, event);
  if (groups?.kind !== "array") {
    return text;
  }
  if (!isAlone) {
    const own = groups.items[group];
    const list = own?.kind === "object" ? memberOf(own, "hooks") : undefined;
    return list === undefined ? text : withoutEntry(text, list, hook);
  }
  if (groups.items.length > 1) {
    return withoutEntry(text, groups, group);
  }
  const at = (node: JsonObjectNode, key: string): number => node.members.findLastIndex((each) => each.key === key);
  return hooks.members.length > 1
    ? withoutEntry(text, hooks, at(hooks, event))
    : withoutEntry(text, settings, at(settings, "hooks"));
}
