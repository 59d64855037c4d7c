import { REFERENCE } from "../packages/argv-template.ts";

/** Characters of a reference inside a name or a line: agents use UUIDs, ULIDs and words with hyphens. */
const REFERENCE_CHARACTERS = "[A-Za-z0-9][A-Za-z0-9_-]{0,127}";

const literal = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** A package's pattern with one `{reference}`, and `*` for any characters, as an expression. */
function expressionOf(pattern: string, reference: string): string {
  return pattern
    .split(REFERENCE)
    .map((part) => part.split("*").map(literal).join("[^/]*"))
    .join(reference);
}

/** The reference in a name that follows the pattern as a whole. */
export function referenceInName(pattern: string, name: string): string | undefined {
  return new RegExp(`^${expressionOf(pattern, `(${REFERENCE_CHARACTERS})`)}$`).exec(name)?.[1];
}

/** Tells whether a name follows the pattern with exactly this reference. */
export function nameMatcher(pattern: string, reference: string): (name: string) => boolean {
  const expression = new RegExp(`^${expressionOf(pattern, literal(reference))}$`);
  return (name) => expression.test(name);
}

/** The reference that the last line with such a text names. A word that only begins like one is none. */
export function referenceInText(pattern: string, lines: readonly string[]): string | undefined {
  const expression = new RegExp(
    `(?<![^\\s"'\`(])${expressionOf(pattern, `(${REFERENCE_CHARACTERS})`)}(?![^\\s"'\`).,])`,
  );
  return lines.reduce<string | undefined>((found, line) => expression.exec(line)?.[1] ?? found, undefined);
}
