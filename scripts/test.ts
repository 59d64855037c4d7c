/**
 * Runs the checks and every test file: `npm test`, or `npm test -- WORD...` for the test files whose path has one of the words.
 * The last line is `N passed, N failed`; every check counts as one.
 */

import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { installMissingTools } from "./machine-tools.ts";
import { installAgents, LIVE_AGENTS, wantedAgents, whyNotLive } from "./testing/agent-clis.ts";
import type { FileResult } from "./testing/test-file.ts";
import { runTestFile } from "./testing/test-file.ts";

const ROOT = join(import.meta.dir, "..");

/** The whole run must end well before any CI gives up on it. */
const RUN_LIMIT_MS = 38 * 60_000;
const FILE_LIMIT_MS = 8 * 60_000;

/** Two files at a time fill the two cores of the smallest machine. */
const PARALLEL = 2;

const TEST_FILES = ["packages/*/src/**/*.test.ts", "scripts/**/*.test.ts", "test/**/*.test.ts"];

/** A file that says so in its first lines measures the machine or plants faults in a copy, and is run while nothing else is. */
const RUNS_ALONE = /^\/\/ Runs alone: /m;

interface Total {
  passed: number;
  failed: number;
  skipped: number;
}

async function runScript(name: string): Promise<boolean> {
  const child = Bun.spawn([process.execPath, join("scripts", name)], {
    cwd: ROOT,
    stdin: "ignore",
    stdout: "inherit",
    stderr: "inherit",
  });
  return (await child.exited) === 0;
}

function report(total: Total, result: FileResult): void {
  const { passed, failed, skipped, path, seconds, problems } = result;
  total.passed += passed;
  total.failed += failed;
  total.skipped += skipped;
  const isSkipping = skipped === 0 ? "" : `, ${skipped} skipped`;
  console.log(
    `${failed === 0 ? "ok    " : "FAILED"} ${path} (${passed} passed, ${failed} failed${isSkipping}, ${seconds.toFixed(1)} s)`,
  );
  if (problems !== "") console.log(problems.replace(/^/gm, "    "));
}

/** The live tests of an agent that cannot be driven here are told one by one, and counted as skipped by their files. */
async function installLiveAgents(): Promise<void> {
  for (const sentence of await installAgents(wantedAgents())) console.log(sentence);
  for (const agent of LIVE_AGENTS) {
    const why = whyNotLive(agent);
    if (why !== undefined) console.log(`skipped: live tests of ${agent}: ${why}`);
  }
}

async function runFiles(total: Total, paths: readonly string[], parallel: number): Promise<void> {
  const waiting = [...paths];
  const worker = async (): Promise<void> => {
    for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
      const leftMs = RUN_LIMIT_MS - performance.now();
      const notRun = {
        path,
        passed: 0,
        failed: 1,
        skipped: 0,
        seconds: 0,
        problems: "not run: the time for the whole run is up",
      };
      report(total, leftMs < 1000 ? notRun : await runTestFile(path, Math.min(FILE_LIMIT_MS, leftMs)));
    }
  };
  await Promise.all(Array.from({ length: parallel }, worker));
}

async function runEverything(words: readonly string[]): Promise<Total> {
  const total: Total = { passed: 0, failed: 0, skipped: 0 };
  for (const sentence of installMissingTools()) console.log(sentence);
  const count = (isGood: boolean): void => void (isGood ? total.passed++ : total.failed++);
  count(await runScript("build.ts"));
  if (words.length === 0) count(await runScript("check.ts"));

  const found = TEST_FILES.flatMap((pattern) => globSync(pattern, { cwd: ROOT })).sort();
  const paths = found.filter((path) => words.length === 0 || words.some((word) => path.includes(word)));
  if (paths.some((path) => path.startsWith("test/agents/live-"))) await installLiveAgents();
  const alone = paths.filter((path) => RUNS_ALONE.test(readFileSync(join(ROOT, path), "utf8").slice(0, 1000)));
  await runFiles(
    total,
    paths.filter((path) => !alone.includes(path)),
    PARALLEL,
  );
  await runFiles(total, alone, 1);
  if (paths.length === 0) {
    console.log("no test file found");
    total.failed++;
  }
  return total;
}

process.chdir(ROOT);
const { passed, failed, skipped } = await runEverything(process.argv.slice(2));
console.log("");
if (skipped > 0) console.log(`${skipped} skipped, for the reasons above`);
// Nothing behind it: whoever runs this reads the last line.
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
