/** Finds what a test file left behind. Every file runs with a temp folder of its own, and what mentions that folder is its. */

import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";

/** A killed child of a machine whose PID 1 reaps late stays a zombie for about two seconds, and servers end in turn. */
const GRACE_MS = 3_000;
const POLL_MS = 50;

function readProc(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8").replaceAll("\0", " ");
  } catch {
    return ""; // ended meanwhile, or another user's
  }
}

function readLink(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return ""; // ended meanwhile, or another user's
  }
}

const isDead = (pid: string): boolean => /\) [ZX] /.test(readProc(pid, "stat"));

interface LeftProcess {
  readonly pid: number;
  readonly commandLine: string;
}

function findProcesses(folder: string): LeftProcess[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  return pids.flatMap((pid) => {
    const commandLine = readProc(pid, "cmdline").trim();
    const isOurs =
      commandLine.includes(folder) ||
      readProc(pid, "environ").includes(folder) ||
      readLink(`/proc/${pid}/cwd`).startsWith(folder);
    return isOurs && !isDead(pid) ? [{ pid: Number(pid), commandLine: commandLine.slice(0, 160) }] : [];
  });
}

function endProcess({ pid, commandLine }: LeftProcess): string {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // ESRCH: it ended after all, but too late.
  }
  return `process ${pid}: ${commandLine}`;
}

const findFiles = (folder: string): string[] =>
  readdirSync(folder).map((name) => `left in the temp folder: ${join(folder, name)}`);

/** Processes, sockets and folders that are still there after a short grace. The processes are told and ended. */
export async function findLeaks(folder: string): Promise<string[]> {
  const deadline = performance.now() + GRACE_MS;
  for (;;) {
    const [processes, files] = [findProcesses(folder), findFiles(folder)];
    if (processes.length + files.length === 0) return [];
    if (performance.now() > deadline) return [...processes.map(endProcess), ...files];
    await Bun.sleep(POLL_MS);
  }
}
