import { expect, test } from "bun:test";
import { join } from "node:path";

const HERE = (file: string): string => JSON.stringify(join(import.meta.dir, file));
const BYTES = 3_000_000;

/** Reads a flood, fails once in the middle of it as a bug behind the output would, and tells how much it got all the same. */
const READER = `
const { platform } = await import(${HERE("../platform/index.ts")});
const { DescriptorWatch } = await import(${HERE("descriptor-watch.ts")});
const { OutputRing } = await import(${HERE("output-ring.ts")});
const { PtyOutputReader } = await import(${HERE("pty-reader.ts")});
let failures = 0;
process.on("uncaughtException", () => { failures += 1; });
const pair = platform.pty.open({ cols: 80, rows: 24 });
const watch = new DescriptorWatch(platform.sockets);
process.on("SIGIO", () => watch.serve());
const ring = new OutputRing(1_000_000);
const reader = new PtyOutputReader({
  pty: platform.pty, pair, ring, watch,
  onOutput: () => {
    if (ring.endOffset > 1_000_000 && failures === 0) throw new Error("a bug");
    if (ring.endOffset >= ${BYTES}) { console.log(failures + " failure, all read"); process.exit(0); }
  },
  onEnd: () => undefined,
});
reader.start();
const argv = ["head", "-c", "${BYTES}", "/dev/zero"];
platform.processes.spawn({ file: Bun.which("head"), argv, env: { PATH: process.env.PATH }, cwd: "/", terminal: pair.slavePath });
setTimeout(() => { console.log("stands still at " + ring.endOffset); process.exit(1); }, 20_000);
`;

test("a failure behind the output does not stop a flood", async () => {
  const child = Bun.spawn([process.execPath, "-e", READER], { stdin: "ignore", stdout: "pipe", stderr: "inherit" });
  expect(await new Response(child.stdout).text()).toBe("1 failure, all read\n");
  expect(await child.exited).toBe(0);
}, 30_000);
