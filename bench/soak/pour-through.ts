import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { AttachStream } from "@pohunek/sdk";
import { descriptorCount, until } from "../../test/support/index.ts";
import { readOwnMib } from "../process-cost.ts";
import { RING_BYTES, type SoakedHost } from "./soaked-host.ts";
import { startOnce } from "./soaked-session.ts";

const LOOK_MS = 500;
/** What a flood may cost: the ring that it fills, 8 MiB for the client, and what the work itself leaves to the collector. */
const ROOM_MIB = RING_BYTES / 1_048_576 + 8 + 16;
/** What the middle of one half of the flood may be above that of the other: more is growth. */
const DRIFT_MIB = 6;
const LOG_BYTES = 1_048_576;

interface Look {
  readonly offset: bigint;
  readonly mib: number;
  readonly descriptors: number;
}

/** Counts and forgets. */
async function drain(stream: AttachStream): Promise<number> {
  let count = 0;
  for await (const bytes of stream) count += bytes.length;
  return count;
}

/** Lets so many bytes flow through one session, the first half to an attached client; true when nothing grew meanwhile. */
export async function pourThrough(host: SoakedHost, bytes: number): Promise<boolean> {
  const print = `stty -onlcr -echo; printf 'ready'; read x; yes ${"x".repeat(99)} | head -c ${bytes}; sleep 1000000`;
  const { id, instance, generation } = await startOnce(host, "flood", ["/bin/sh", "-c", print]);
  const runtime = { worker_instance_id: instance, runtime_generation: generation };
  const worker = host.host.workerPid(id);
  const wanted = BigInt(bytes + "ready".length);
  const look = async (): Promise<Look> => {
    const seen = await host.call("session.output", { session_id: id, max_bytes: 1, runtime });
    return { offset: BigInt(seen.runtime_end_offset), mib: readOwnMib(worker), descriptors: descriptorCount(worker) };
  };
  await using client = await host.connect();
  const stream = await client.attach({ session_id: id });
  const drained = drain(stream);
  await until("the program to be ready", async () => (await look()).offset > 0n);
  const looks = [await look()];
  const startedAt = performance.now();
  await stream.write(Buffer.from("\n"));
  let isAttached = true;
  for (let now = await look(); now.offset < wanted; now = await look()) {
    looks.push(now);
    if (isAttached && now.offset > wanted / 2n) {
      isAttached = false;
      await stream.detach();
      console.log(`the client has got ${await drained} bytes and leaves at ${now.offset}`);
    }
    await Bun.sleep(LOOK_MS);
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  console.log(`${bytes} bytes in ${seconds.toFixed(0)} s, ${(bytes / 1e6 / seconds).toFixed(0)} MB/s`);
  return judge([...looks, await look()], { wanted, logs: join(host.host.roots.state, "logs") });
}

function medianMib(looks: readonly Look[]): number {
  return looks.map(({ mib }) => mib).toSorted((left, right) => left - right)[looks.length >> 1] ?? Number.NaN;
}

function judge(looks: readonly Look[], { wanted, logs }: { wanted: bigint; logs: string }): boolean {
  const [first, last] = [looks[0], looks.at(-1)];
  if (first === undefined || last === undefined) throw new Error("it was over before it was looked at");
  const middle = looks.length >> 1;
  const drift = medianMib(looks.slice(middle)) - medianMib(looks.slice(1, middle + 1));
  const most = Math.max(...looks.map(({ mib }) => mib));
  const mostDescriptors = Math.max(...looks.map(({ descriptors }) => descriptors));
  const logBytes = readdirSync(logs).reduce((sum, name) => sum + statSync(join(logs, name)).size, 0);
  console.log(
    `the worker had ${first.mib.toFixed(1)} MiB before, at most ${most.toFixed(1)} in the flood, drift ${drift.toFixed(1)}`,
  );
  console.log(
    `${first.descriptors} descriptors before, at most ${mostDescriptors} in the flood; ${logBytes} bytes of logs`,
  );
  const verdicts: readonly (readonly [string, boolean])[] = [
    [`${last.offset} bytes were printed, not ${wanted}`, last.offset === wanted],
    ["the flood took too much memory", most <= first.mib + ROOM_MIB],
    ["memory grew while it flowed", drift <= DRIFT_MIB],
    ["descriptors grew", mostDescriptors <= first.descriptors],
    ["logs grew", logBytes <= LOG_BYTES],
  ];
  const faults = verdicts.filter(([, isFine]) => !isFine);
  for (const [fault] of faults) console.log(`FAULT ${fault}`);
  return faults.length === 0;
}
