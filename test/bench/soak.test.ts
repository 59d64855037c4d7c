// Runs alone: it keeps the machine busy, and looks at memory.
import { expect, test } from "bun:test";
import { join } from "node:path";

const SOAK = join(import.meta.dir, "../../bench/soak.ts");

interface Outcome {
  readonly code: number;
  readonly out: string;
}

async function runSoak(...options: readonly string[]): Promise<Outcome> {
  const child = Bun.spawn([process.execPath, SOAK, ...options], { stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { code, out: out + err };
}

/** How often the soak says that something was done. */
const countOf = (out: string, what: string): number => Number(new RegExp(`^(\\d+) ${what}$`, "m").exec(out)?.[1] ?? 0);

test("a soak of a few seconds kills daemons and clients, loses nothing and says so", async () => {
  const { code, out } = await runSoak("--seconds", "6", "--sessions", "8", "--seed", "7");
  expect(out).toContain("seed 7, 8 sessions, 6 s\n");
  expect({ code, out }).toMatchObject({ code: 0 });
  expect(out).toContain("PASSED");
  for (const what of [
    "ends of the daemon",
    "attached",
    "lines shown to them",
    "command lines attached",
    "short programs",
    "inputs",
  ]) {
    expect({ what, isDone: countOf(out, what) > 0 }).toEqual({ what, isDone: true });
  }
}, 90_000);

test("a flood through one session leaves its worker as small as it was", async () => {
  const { code, out } = await runSoak("--gigabytes", "0.1");
  expect({ code, out }).toMatchObject({ code: 0 });
  expect(out).toContain("PASSED");
}, 90_000);
