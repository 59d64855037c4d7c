import { expect, test } from "bun:test";
import type { VersionProbe } from "../runtime-definition.ts";
import { parseVersion } from "./parse-version.ts";

const RANGE = { args: ["--version"], min: "1.0.0", below: "2.0.0" };
const PLAIN: VersionProbe = { ...RANGE, parser: "semver-v1" };
const lineOf = (template: string): VersionProbe => ({ ...RANGE, parser: "semver-line-v1", template });

test.each([
  ["1.2.3\n", "1.2.3"],
  ["  1.2.3\r\n", "1.2.3"],
  ["", undefined],
  ["v1.2.3", undefined],
  ["1.2", undefined],
  ["1.2.3.4", undefined],
  ["01.2.3", undefined],
  ["1.2.3-beta.1", undefined],
  ["1.2.3\nand more", undefined],
  ["1234567890.0.0", undefined],
])("an output that is nothing but a release: %j", (output, version) => {
  expect(parseVersion(output, PLAIN)).toBe(version);
});

test.each([
  ["{version} (Some Agent)", "2.1.332 (Some Agent)\n", "2.1.332"],
  ["agent-cli {version}", "warning: old node\nagent-cli 0.171.0\n", "0.171.0"],
  ["agent-cli {version}", "agent-cli 0.171.0 \n", undefined],
  ["agent-cli {version}", "my agent-cli 0.171.0\n", undefined],
  ["Agent {version}.", "Agent 1.0.102.\r\nBuilt today\r\n", "1.0.102"],
  ["{version}", "hello\n1.2.3\n", "1.2.3"],
  // The parts before and after may not overlap.
  ["aa{version}aa", "aaa", undefined],
  ["a {version} b", "a  b", undefined],
])("a line as %j in %j", (template, output, version) => {
  expect(parseVersion(output, lineOf(template))).toBe(version);
});
