import { isAbsolute, join } from "node:path";
import type { RuntimeDefinition } from "../runtime-definition.ts";

/** The folder in which an agent keeps its things, as its environment says; without a folder of its own, its home. */
export function configHomeOf(
  { configHome }: Pick<RuntimeDefinition, "configHome">,
  env: { get(variable: string): string | undefined } | undefined,
  home: string,
): string {
  const own = configHome === undefined ? undefined : env?.get(configHome.variable);
  return own !== undefined && isAbsolute(own) ? own : join(env?.get("HOME") ?? home, configHome?.default ?? "");
}
