/** A list of arguments with placeholders. Each placeholder is a whole argument, so its value is never split nor read by a shell. */

import type { TextRule } from "./toml-table.ts";

export const REFERENCE = "{reference}";
export const NEW_REFERENCE = "{new_reference}";
export const PORT = "{port}";

/** Bounds of a list of arguments. */
export const ARGUMENTS: TextRule & { readonly max: number } = { maxBytes: 1024, max: 64 };

/** What is wrong with a list in which `wanted` occurs exactly once and each of `allowed` at most once; undefined when nothing is. */
export function faultOfTemplate(
  args: readonly string[],
  wanted: string | undefined,
  allowed: readonly string[] = [],
): string | undefined {
  const places = wanted === undefined ? allowed : [wanted, ...allowed];
  if (args.some((arg) => /[{}]/.test(arg) && !places.includes(arg))) {
    return "holds braces other than a placeholder that is a whole argument";
  }
  const countOf = (place: string): number => args.filter((arg) => arg === place).length;
  if (wanted !== undefined && countOf(wanted) !== 1) return `must hold ${wanted} exactly once`;
  return allowed.some((place) => countOf(place) > 1) ? "holds a placeholder twice" : undefined;
}
