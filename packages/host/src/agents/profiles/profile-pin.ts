import type { PackagePin } from "./profile.ts";

const PIN_LINE = /^[ \t]*(?:package|digest)[ \t]*=[ \t]*(?:"[^"\\]*"|'[^']*')[ \t]*(?:#.*)?$/;
const TABLE_LINE = /^[ \t]*\[/;

/** The text of a profile with this pin and no other. Everything else keeps its place. */
export function withPin(text: string, { packageId, digest }: PackagePin): string {
  return `package = "${packageId}"\ndigest = "${digest}"\n${withoutPin(text)}`;
}

/** The text of a profile without the two lines that pin its package. In a table of their own such lines mean something else. */
export function withoutPin(text: string): string {
  const lines = text.split("\n");
  const firstTable = lines.findIndex((line) => TABLE_LINE.test(line));
  const end = firstTable === -1 ? lines.length : firstTable;
  return lines.filter((line, index) => index >= end || !PIN_LINE.test(line)).join("\n");
}
