import { descriptorCount, isAlive } from "../../test/support/index.ts";
import { readOwnMib } from "../process-cost.ts";
import { RING_BYTES, type SoakedHost } from "./soaked-host.ts";
import type { SoakedSession } from "./soaked-session.ts";

/** Collectors and allocators give back what the last clients took; a look after which less than this share went is the last. */
const SETTLING = { everyMs: 1_000, share: 0.98 };
const MIB = 1_048_576;

export interface Resources {
  readonly workersMib: number;
  readonly daemonMib: number;
  readonly workersDescriptors: number;
  readonly daemonDescriptors: number;
  /** What the rings hold of it. */
  readonly ringsMib: number;
}

/** Looks at a host that nobody is attached to, with a daemon that has just been started. */
export async function lookAt(
  { host }: SoakedHost,
  { sessions, mostMs }: { readonly sessions: readonly SoakedSession[]; readonly mostMs: number },
): Promise<Resources> {
  const workers = [...host.workers().values()].filter(isAlive);
  const sum = (read: (pid: number) => number): number => workers.reduce((total, pid) => total + read(pid), 0);
  const rings = sessions.reduce((total, { offset }) => total + Math.min(RING_BYTES, Number(offset)), 0);
  const read = (): readonly [number, number] => [sum(readOwnMib), readOwnMib(host.daemonPid)];
  const deadline = performance.now() + mostMs;
  let [workersMib, daemonMib] = read();
  for (let isStill = false; !isStill && performance.now() < deadline; ) {
    await Bun.sleep(SETTLING.everyMs);
    const [workersNow, daemonNow] = read();
    isStill = workersNow > workersMib * SETTLING.share && daemonNow > daemonMib * SETTLING.share;
    [workersMib, daemonMib] = [Math.min(workersMib, workersNow), Math.min(daemonMib, daemonNow)];
  }
  return {
    workersMib,
    daemonMib,
    workersDescriptors: sum(descriptorCount),
    daemonDescriptors: descriptorCount(host.daemonPid),
    ringsMib: rings / MIB,
  };
}

export function describeResources(when: string, seen: Resources): string {
  const workers = `workers ${seen.workersMib.toFixed(1)} MiB, of it at most ${seen.ringsMib.toFixed(1)} rings, ${seen.workersDescriptors} descriptors`;
  return `${when}: ${workers}; daemon ${seen.daemonMib.toFixed(1)} MiB, ${seen.daemonDescriptors} descriptors`;
}

/** What has grown by more than this share, though the sessions are the same. */
export function growthOf(before: Resources, after: Resources, share: number): string[] {
  const faults: string[] = [];
  const grew = (what: string, [from, to]: readonly [number, number], room: number): void => {
    if (to > from + room) faults.push(`${what} grew from ${from.toFixed(1)} to ${to.toFixed(1)}`);
  };
  const filled = after.ringsMib - before.ringsMib;
  grew("memory of the workers (MiB)", [before.workersMib, after.workersMib], filled + before.workersMib * share);
  grew("memory of the daemon (MiB)", [before.daemonMib, after.daemonMib], before.daemonMib * share);
  grew("descriptors of the workers", [before.workersDescriptors, after.workersDescriptors], 0);
  grew("descriptors of the daemon", [before.daemonDescriptors, after.daemonDescriptors], 0);
  return faults;
}
