import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { Viewer } from "./support/viewer.ts";
import { WorkerUnderTest } from "./support/worker-under-test.ts";

/** How often the main thread of a process was given a processor. */
function wakeUps(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "latin1");
  return Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(status)?.[1]);
}

test("an idle worker sleeps, with a controller and a viewer connected", async () => {
  await using worker = await WorkerUnderTest.start();
  await using session = await worker.run("printf ready; exec cat");
  await session.shows("ready");
  using viewer = await Viewer.attach(session.client);
  await viewer.isSynced();
  // Look at the foreground, announce, collect memory: all of it within two seconds of the last activity.
  await Bun.sleep(4_000);
  const before = wakeUps(worker.pid);
  await Bun.sleep(5_000);
  expect(wakeUps(worker.pid) - before).toBeLessThanOrEqual(2);
  viewer.type("x");
  await viewer.sees("x");
}, 20_000);
