import type { ProcessCalls, ProcessFacts } from "./platform.ts";
import type { TreeSearch } from "./process-tree.ts";
import { findGeneration } from "./process-tree.ts";

export interface EndOptions extends TreeSearch {
  readonly processes: ProcessCalls;
  /** Between asking and killing. */
  readonly graceMs: number;
  /** Called often while waiting, so that our own child does not stay a zombie. */
  readonly reap?: () => void;
}

export interface EndResult {
  /** Outlived SIGKILL: in the kernel, or not ours to signal. */
  readonly survivors: readonly ProcessFacts[];
  readonly unclear: readonly ProcessFacts[];
}

/** How often the kernel is asked while processes are ending; there is no event for the end of another's child. */
const POLL_MS = 10;
/** A killed process needs time to be torn down, more if it holds much memory. */
const KILLED_MS = 2_000;
/** Processes may fork while they are being killed; each round finds the ones the last did not see. */
const KILL_ROUNDS = 5;

/** A program that acts on SIGHUP has this long to do it before SIGTERM may cut it short; longer where the grace is long. */
const HANG_UP_MS = 100;
const HANG_UP_SHARE = 4;

/**
 * The one place that ends the processes of a generation: SIGHUP to all, as when a terminal is closed, SIGTERM to those that
 * go on, the grace, SIGKILL to what is left, and again while new ones appear. Each signal goes to a process that was
 * identified by pid and start, never to a reused pid.
 */
export async function endGeneration(options: EndOptions): Promise<EndResult> {
  const { processes, graceMs } = options;
  const hangUpMs = Math.min(Math.max(HANG_UP_MS, graceMs / HANG_UP_SHARE), graceMs / 2);
  // A stopped process acts on nothing until it goes on.
  await ask(options, ["SIGHUP", "SIGCONT"], hangUpMs);
  await ask(options, ["SIGTERM", "SIGCONT"], graceMs - hangUpMs);
  for (let round = 0; round < KILL_ROUNDS; round += 1) {
    const { members } = findGeneration(processes, options);
    if (members.length === 0) {
      break;
    }
    for (const member of members) {
      processes.signal(member, "SIGKILL");
    }
    await waitForEnd(options, members, KILLED_MS);
  }
  const left = findGeneration(processes, options);
  return { survivors: left.members, unclear: left.unclear };
}

async function ask(options: EndOptions, signals: readonly NodeJS.Signals[], ms: number): Promise<void> {
  const { processes } = options;
  const { members } = findGeneration(processes, options);
  for (const member of members) {
    for (const signal of signals) {
      processes.signal(member, signal);
    }
  }
  await waitForEnd(options, members, ms);
}

async function waitForEnd(options: EndOptions, members: readonly ProcessFacts[], ms: number): Promise<void> {
  const deadline = performance.now() + ms;
  while (members.some((member) => isAlive(options, member)) && performance.now() < deadline) {
    await Bun.sleep(POLL_MS);
  }
}

function isAlive({ processes, reap }: EndOptions, member: ProcessFacts): boolean {
  reap?.();
  return processes.read(member.pid)?.startIdentity === member.startIdentity;
}
