/**
 * `npm run soak`: many sessions with mixed work; clients that attach, leave and are killed at random; a daemon that is killed
 * and started again at random. In the end no byte may be lost, no session, and after the first minute nothing may have grown.
 *
 *   --minutes N | --seconds N   how long (default 10 minutes)     --sessions N   how many (default 50)
 *   --seed N                    the same choices again            --gigabytes N  instead: so much through one session
 *   --stops N                   instead: the daemon is stopped while thirty sessions end, so many times
 */

import { parseArgs } from "node:util";
import { pourThrough } from "./soak/pour-through.ts";
import { Soak } from "./soak/soak.ts";
import { SoakedHost } from "./soak/soaked-host.ts";
import { stopUnderLoad } from "./soak/stop-under-load.ts";

const text = { type: "string" } as const;
const { values } = parseArgs({
  options: { minutes: text, seconds: text, sessions: text, seed: text, gigabytes: text, stops: text },
});

async function run(): Promise<boolean> {
  await using host = await SoakedHost.start();
  if (values.stops !== undefined) return await stopUnderLoad(host, Number(values.stops));
  if (values.gigabytes !== undefined) return await pourThrough(host, Number(values.gigabytes) * 1e9);
  const seconds = Number(values.seconds ?? Number(values.minutes ?? 10) * 60);
  const seed = Number(values.seed ?? Date.now() % 1_000_000);
  const sessions = Number(values.sessions ?? 50);
  console.log(`seed ${seed}, ${sessions} sessions, ${seconds} s`);
  return await new Soak(host, { seconds, sessions, seed }).run();
}

const isGood = await run();
console.log(isGood ? "PASSED: nothing was lost, nothing grew" : "FAILED");
// A timer of the host that is gone would keep this process for seconds.
process.exit(isGood ? 0 : 1);
