import { expect, test } from "bun:test";
import { join } from "node:path";

/** Copies its input to its output, as the attach client reads it where a terminal can't be opened anew. */
const COPIER = `
const { TerminalInput } = await import(${JSON.stringify(join(import.meta.dir, "terminal-input.ts"))});
const calls = { openAnnounced: () => -1, read: () => -1, close: () => 0 };
const signals = { on: () => ({ [Symbol.dispose]: () => undefined }) };
const input = new TerminalInput({ calls, signals }, {
  onInput: (bytes) => process.stdout.write(bytes),
  onEnd: () => process.stdout.write("END\\n"),
});
input.resume();
`;

test("input that can't be opened anew is read by a thread, whole and up to its end", async () => {
  const typed = `${"x".repeat(200_000)}last\n`;
  const child = Bun.spawn([process.execPath, "-e", COPIER], { stdin: new Blob([typed]), stdout: "pipe" });
  expect(await new Response(child.stdout).text()).toBe(`${typed}END\n`);
  expect(await child.exited).toBe(0);
});
