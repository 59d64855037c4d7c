import type { JsonNode, JsonObjectNode } from "./json-text.ts";

/** Puts a member at the end of an object; everything else of the text stays as it is. */
export function withMember(
  text: string,
  node: JsonObjectNode,
  { key, value }: { key: string; value: unknown },
): string {
  const places = node.members.map((member) => ({ start: member.start, end: member.value.end }));
  const write = (indent: string): string => `${JSON.stringify(key)}: ${writeValue(text, value, indent)}`;
  return withEntry(text, { node, places, write });
}

/** Puts an item at the end of an array. */
export function withItem(text: string, node: JsonNode & { readonly kind: "array" }, value: unknown): string {
  return withEntry(text, { node, places: node.items, write: (indent) => writeValue(text, value, indent) });
}

/** Takes a member or an item away, with the comma that belonged to it. */
export function withoutEntry(text: string, node: JsonNode, index: number): string {
  const places =
    node.kind === "object"
      ? node.members.map((member) => ({ start: member.start, end: member.value.end }))
      : node.kind === "array"
        ? node.items
        : [];
  const [before, own, after] = [places[index - 1], places[index], places[index + 1]];
  if (own === undefined) {
    return text;
  }
  if (before !== undefined) {
    return text.slice(0, before.end) + text.slice(own.end);
  }
  return after === undefined
    ? text.slice(0, node.start + 1) + text.slice(node.end - 1)
    : text.slice(0, own.start) + text.slice(after.start);
}

interface Place {
  readonly start: number;
  readonly end: number;
}

interface Entry {
  readonly node: JsonNode;
  readonly places: readonly Place[];
  readonly write: (indent: string) => string;
}

function withEntry(text: string, { node, places, write }: Entry): string {
  const last = places.at(-1);
  const outer = indentAt(text, node.start);
  if (last === undefined) {
    const inner = outer + unitOf(text);
    return `${text.slice(0, node.start + 1)}\n${inner}${write(inner)}\n${outer}${text.slice(node.end - 1)}`;
  }
  const isOnOneLine = !text.slice(node.start, last.end).includes("\n");
  const inner = isOnOneLine ? outer : indentAt(text, last.start);
  const separator = isOnOneLine ? ", " : `,\n${inner}`;
  return text.slice(0, last.end) + separator + write(inner) + text.slice(last.end);
}

function writeValue(text: string, value: unknown, indent: string): string {
  return JSON.stringify(value, null, unitOf(text)).replaceAll("\n", `\n${indent}`);
}

/** The blanks at the beginning of the line. */
function indentAt(text: string, at: number): string {
  const line = text.slice(text.lastIndexOf("\n", at - 1) + 1, at);
  return /^[ \t]*/.exec(line)?.[0] ?? "";
}

/** What one step of indentation is in this text. */
function unitOf(text: string): string {
  return /\n([ \t]+)\S/.exec(text)?.[1] ?? "  ";
}
