import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { Viewer } from "./support/viewer.ts";
import { WorkerUnderTest } from "./support/worker-under-test.ts";

const MIB_KIB = 1_024;
const ATTACHES = 1_000;
/** What one attach takes, and the garbage of some more. Left to the runtime it was 28 MiB, with this about 12. */
const MOST_MIB = 20;
const HISTORY = 'i=0; while [ $i -lt 2000 ]; do i=$((i+1)); printf "#%d %0100d\\n" $i 0; done; printf ready';
const STEADY = "while :; do printf 'tick\\n'; sleep 0.2; done";

/** What the process has for itself, the pages of no file. */
function ownMib(pid: number): number {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, "latin1");
  return Number(/^Pss_Anon:\s+(\d+) kB/m.exec(rollup)?.[1]) / MIB_KIB;
}

test("attaching over and over to a session that prints all the time leaves no garbage behind", async () => {
  await using worker = await WorkerUnderTest.start();
  await using session = await worker.run(`${HISTORY}; read x; ${STEADY}`);
  await session.shows("ready");
  const attach = async (): Promise<void> => {
    using viewer = await Viewer.attach(session.client, { keeps: false });
    await viewer.isSynced();
  };
  const before = ownMib(worker.pid);
  using reader = await Viewer.attach(session.client);
  reader.type("\n");
  await reader.sees("tick");
  let most = 0;
  for (let time = 0; time < ATTACHES; time++) {
    await attach();
    if (time % 20 === 0) most = Math.max(most, ownMib(worker.pid));
  }
  expect(most - before).toBeLessThan(MOST_MIB);
}, 120_000);
