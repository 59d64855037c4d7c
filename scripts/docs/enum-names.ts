import * as wire from "@pohunek/protocol/wire";

/** `SESSION_STATES` is called SessionState in the tables. */
function typeName(constant: string): string {
  const singular = constant
    .replace(/IES$/, "Y")
    .replace(/(S|US)ES$/, "$1")
    .replace(/([^SU])S$/, "$1");
  return singular.replaceAll(/([A-Z])([A-Z]*)_?/g, (_match, first: string, rest: string) => first + rest.toLowerCase());
}

function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((element) => typeof element === "string");
}

/** The names of the enums, by their lists of values. */
export const enumNames: ReadonlyMap<readonly string[], string> = new Map(
  Object.entries(wire).flatMap(([constant, value]: [string, unknown]): [readonly string[], string][] =>
    isTextList(value) && constant !== "EVENT_NAMES" && !constant.startsWith("TERMINAL_")
      ? [[value, typeName(constant)]]
      : [],
  ),
);
