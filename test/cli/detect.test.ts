import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { TempRoots } from "../support/index.ts";
import { runCli } from "./support/index.ts";

const ROOT = join(import.meta.dir, "..", "..");
const NAME = "codex-0.171.0-approval-80x24";
const RECORDING = join(ROOT, "test", "terminal", "recordings", `${NAME}.cast.gz`);
const LABELS = join(ROOT, "test", "detection", "labels", `${NAME}.labels.json`);
const MANIFEST = join(ROOT, "runtimes", "codex", "detection.toml");

test("a recording is played against a manifest, and compared with its labels", async () => {
  using roots = new TempRoots();
  const told = await runCli(roots, ["detect", "test", RECORDING, "--manifest", MANIFEST, "--labels", LABELS]);
  expect(told.stdout).toContain("Nothing was missed.");
  expect(told.stdout).toMatch(/blocked, approval +osc_7501/);
  expect(told.stdout).toContain('asks "Would you like to run the following command?');
  expect(told.code).toBe(0);
});

test("what rules miss makes it fail, and tells what", async () => {
  using roots = new TempRoots();
  const manifest = join(roots.base, "nothing.toml");
  writeFileSync(manifest, "");
  const words = ["detect", "test", RECORDING, "--manifest", manifest, "--labels", LABELS, "--without-reports"];
  const told = await runCli(roots, words);
  expect(told.stdout).toContain("blocked_missed");
  expect(told.code).toBe(1);
});

test.each([
  [["detect", "test", RECORDING], "say either"],
  [["detect", "test", RECORDING, "--agent", "nobody"], "no rules"],
  [["detect", "test", "/nowhere", "--manifest", MANIFEST], "/nowhere"],
  [["detect", "test", MANIFEST, "--manifest", MANIFEST], "line 1"],
  [["detect", "test", RECORDING, "--manifest", LABELS], "not valid TOML"],
])("refuses %#", async (words, reason) => {
  using roots = new TempRoots();
  const told = await runCli(roots, words);
  expect(told.code).not.toBe(0);
  expect(told.stderr).toContain(reason);
});
