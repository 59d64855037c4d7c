/**
 * Everything that is checked without running the product: `npm run check`, or `bun scripts/check.ts NAME...` for some of it.
 * All checks run even when one has failed, so that one run tells everything.
 */

import { join } from "node:path";

const ROOT = join(import.meta.dir, "..");
const BIN = join(ROOT, "node_modules/.bin");

/** How many checks run at a time; more than the two cores of the smallest machine would only make each of them slower. */
const PARALLEL = 2;

interface Check {
  readonly name: string;
  readonly command: readonly string[];
}

interface Outcome {
  readonly check: Check;
  readonly code: number;
  readonly output: string;
  readonly seconds: number;
}

const bunScript = (name: string, ...args: string[]): string[] => [process.execPath, join("scripts", name), ...args];

const CHECKS: readonly Check[] = [
  { name: "types", command: [join(BIN, "tsc"), "-b"] },
  { name: "lint", command: [join(BIN, "oxlint")] },
  { name: "format", command: [join(BIN, "biome"), "check", "--error-on-warnings"] },
  { name: "dead code", command: [join(BIN, "knip"), "--no-progress", "--no-config-hints"] },
  { name: "graph", command: bunScript("graph.ts") },
  { name: "docs", command: bunScript("docs.ts", "--check") },
];

async function run(check: Check): Promise<Outcome> {
  const startedAt = performance.now();
  // The tools are Node programs: the Node that npm installed here comes first, whatever the machine has.
  const env = { ...process.env, PATH: `${BIN}:${process.env.PATH}`, NO_COLOR: "1" };
  const child = Bun.spawn([...check.command], { cwd: ROOT, env, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { check, code, output: out + err, seconds: (performance.now() - startedAt) / 1000 };
}

function report({ check, code, output, seconds }: Outcome): void {
  console.log(`${code === 0 ? "ok    " : "FAILED"} ${check.name.padEnd(10)} ${seconds.toFixed(1)} s`);
  if (code !== 0) console.log(output.trimEnd().replace(/^/gm, "    "));
}

async function runChecks(checks: readonly Check[]): Promise<boolean> {
  const waiting = [...checks];
  let isGood = true;
  const worker = async (): Promise<void> => {
    for (let check = waiting.shift(); check !== undefined; check = waiting.shift()) {
      const outcome = await run(check);
      report(outcome);
      isGood &&= outcome.code === 0;
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, worker));
  return isGood;
}

const wanted = process.argv.slice(2);
const chosen = CHECKS.filter(({ name }) => wanted.length === 0 || wanted.includes(name));
if (chosen.length === 0) {
  console.error(`no such check; there are: ${CHECKS.map(({ name }) => name).join(", ")}`);
  process.exit(2);
}
process.exitCode = (await runChecks(chosen)) ? 0 : 1;
