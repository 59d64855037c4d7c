import { parseRelease } from "../packages/semantic-version.ts";
import type { VersionProbe } from "../runtime-definition.ts";

/**
 * The release that a program's output names: `semver-v1` takes an output that is nothing but a release, `semver-line-v1`
 * the first line that fits the template. Undefined for anything else; a pre-release is no release.
 */
export function parseVersion(output: string, { parser, template = "{version}" }: VersionProbe): string | undefined {
  if (parser === "semver-v1") {
    return releaseIn(output.trim());
  }
  const [before = "", after = ""] = template.split("{version}");
  for (const line of output.split(/\r?\n/)) {
    const isFitting = line.length > before.length + after.length && line.startsWith(before) && line.endsWith(after);
    const release = isFitting ? releaseIn(line.slice(before.length, line.length - after.length)) : undefined;
    if (release !== undefined) return release;
  }
  return undefined;
}

function releaseIn(text: string): string | undefined {
  return parseRelease(text) === undefined ? undefined : text;
}
