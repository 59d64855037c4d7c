/** Runs one test file in a process of its own, so that a crash costs that file and no other. */

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findLeaks } from "./leaks.ts";

/** For a single test; a test that needs longer says so itself. */
const TEST_TIMEOUT_MS = 30_000;

export interface FileResult {
  readonly path: string;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly seconds: number;
  /** What to show: empty when all is well. */
  readonly problems: string;
}

interface Counts {
  readonly tests: number;
  readonly failures: number;
  readonly skipped: number;
}

/** The report is written when the run ends by itself, so a missing or empty one means that it did not, whatever the exit code. */
function readCounts(report: string): Counts | undefined {
  let xml: string;
  try {
    xml = readFileSync(report, "utf8");
  } catch {
    return undefined; // no report: the process ended before its tests did
  }
  const head = /<testsuites [^>]*>/.exec(xml)?.[0] ?? "";
  const read = (name: string): number => Number(new RegExp(` ${name}="(\\d+)"`).exec(head)?.[1] ?? 0);
  const counts = { tests: read("tests"), failures: read("failures"), skipped: read("skipped") };
  return counts.tests === 0 ? undefined : counts;
}

async function runBunTest(path: string, folder: string, limitMs: number): Promise<{ code: number; output: string }> {
  const args = [
    "test",
    `--timeout=${TEST_TIMEOUT_MS}`,
    "--reporter=junit",
    `--reporter-outfile=${folder}.xml`,
    `./${path}`,
  ];
  const child = Bun.spawn([process.execPath, ...args], {
    env: { ...process.env, TMPDIR: folder, NO_COLOR: "1" },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    timeout: limitMs,
    killSignal: "SIGKILL",
  });
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  const ended = child.signalCode === "SIGKILL" ? `\nkilled after ${(limitMs / 1000).toFixed(0)} s\n` : "";
  return { code, output: out + err + ended };
}

export async function runTestFile(path: string, limitMs: number): Promise<FileResult> {
  const startedAt = performance.now();
  // Unix socket paths end at 107 bytes, so the folder's name is short.
  const folder = mkdtempSync(join(tmpdir(), "pk-"));
  const { code, output } = await runBunTest(path, folder, limitMs);
  const counts = readCounts(`${folder}.xml`);
  const leaks = await findLeaks(folder);
  const broken: string[] = [];
  if (counts === undefined) broken.push("no test ran to its end");
  else if (code !== 0 && counts.failures === 0) broken.push(`exit code ${code} although no test failed`);
  if (leaks.length > 0) broken.push(`left behind:\n${leaks.join("\n")}`);
  const failed = (counts?.failures ?? 0) + broken.length;
  rmSync(`${folder}.xml`, { force: true });
  // What a failed file left in its folder (logs, databases) is kept for whoever looks into it.
  if (failed === 0) rmSync(folder, { recursive: true, force: true });
  return {
    path,
    passed: counts === undefined ? 0 : counts.tests - counts.failures - counts.skipped,
    failed,
    skipped: counts?.skipped ?? 0,
    seconds: (performance.now() - startedAt) / 1000,
    problems: failed === 0 ? "" : [output.trim(), ...broken, `kept: ${folder}`].join("\n"),
  };
}
