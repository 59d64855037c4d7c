import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import type { FileResult } from "../../scripts/testing/test-file.ts";
import { runTestFile } from "../../scripts/testing/test-file.ts";
import { isAlive, until } from "../support/index.ts";

const folder = mkdtempSync(join(tmpdir(), "t-"));
const kept: string[] = [];
afterAll(() => {
  for (const path of [folder, ...kept]) rmSync(path, { recursive: true, force: true });
});

/** Runs a test file of this text, as `npm test` would. */
async function runText(name: string, text: string, limitMs = 20_000): Promise<FileResult> {
  const path = join(folder, `${name}.test.ts`);
  writeFileSync(path, `import { afterAll, expect, test } from "bun:test";\n${text}\n`);
  const result = await runTestFile(relative(process.cwd(), path), limitMs);
  const keptFolder = /^kept: (.*)$/m.exec(result.problems)?.[1];
  if (keptFolder !== undefined) kept.push(keptFolder);
  return result;
}

test("counts each test once", async () => {
  const result = await runText(
    "counts",
    `test("a", () => {}); test("b", () => { expect(1).toBe(2); }); test("c", () => {});`,
  );
  expect(result).toMatchObject({ passed: 2, failed: 1, skipped: 0 });
  expect(result.problems).toContain("expect(1).toBe(2)");
});

test("a file whose process ends with 0 before its tests have counts as failed", async () => {
  const result = await runText("exits", `test("a", () => {}); test("b", () => { process.exit(0); });`);
  expect(result).toMatchObject({ passed: 0, failed: 1 });
  expect(result.problems).toContain("no test ran to its end");
});

test("a file that is killed counts as failed", async () => {
  const result = await runText("killed", `test("a", () => { process.kill(process.pid, "SIGKILL"); });`);
  expect(result).toMatchObject({ passed: 0, failed: 1 });
});

test("a file without a test counts as failed", async () => {
  expect(await runText("empty", "export {};")).toMatchObject({ passed: 0, failed: 1 });
});

test("a file that cannot be loaded counts as failed", async () => {
  expect(await runText("broken", `throw new Error("at load");`)).toMatchObject({ passed: 0, failed: 1 });
});

test("a file that hangs is killed at its limit and counts as failed", async () => {
  const result = await runText("hangs", `test("a", async () => { await new Promise(() => {}); }, 60_000);`, 1_000);
  expect(result).toMatchObject({ passed: 0, failed: 1 });
  expect(result.problems).toContain("killed after 1 s");
});

test("a process left behind is a failure although every test passed, and is ended", async () => {
  const result = await runText(
    "leaves-process",
    `test("a", () => { const c = Bun.spawn(["sleep", "20"], { detached: true, stdio: ["ignore", "ignore", "ignore"] }); c.unref(); });`,
  );
  const pid = Number(/process (\d+): sleep 20/.exec(result.problems)?.[1]);
  await until("the process to be ended", () => !isAlive(pid));
  expect(result).toMatchObject({ passed: 1, failed: 1 });
});

test("a socket left behind is a failure although every test passed", async () => {
  const result = await runText(
    "leaves-socket",
    `test("a", () => { Bun.listen({ unix: process.env.TMPDIR + "/s.sock", socket: { data() {} } }); });`,
  );
  expect(result).toMatchObject({ passed: 1, failed: 1 });
  expect(result.problems).toContain("s.sock");
});

test("a temp folder left behind is a failure although every test passed", async () => {
  const result = await runText(
    "leaves-folder",
    `test("a", () => { require("node:fs").mkdirSync(process.env.TMPDIR + "/x"); });`,
  );
  expect(result).toMatchObject({ passed: 1, failed: 1 });
});
