import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FoundProgram } from "./find-program.ts";

export interface RunProbeOptions {
  readonly program: FoundProgram;
  readonly args: readonly string[];
  /** The PATH of a session: what the program's first line may name is found there. */
  readonly path: string;
  /** Ends the program. */
  readonly signal: AbortSignal;
}

/** The slowest agent that was measured takes 2.3 s on an idle machine. */
const DEADLINE_MS = 15_000;
/** What a program left running in another process group may hold its output open; its own group is ended. */
const OUTPUT_END_MS = 500;
const MAX_OUTPUT_BYTES = 65_536;

/**
 * Runs a program that is to tell its version, in a folder of its own that is its home too: it gets none of the user's
 * settings, and leaves nothing behind. What it printed on its standard output, or undefined when it failed, was too slow
 * or printed too much.
 */
export async function runProbe(options: RunProbeOptions): Promise<string | undefined> {
  if (options.signal.aborted) return undefined;
  const home = mkdtempSync(join(tmpdir(), "pohunek-probe-"));
  try {
    return await run(options, home);
  } finally {
    // What is left of the program may still write: a folder that can't be removed is not worth a failure.
    await rm(home, { recursive: true, force: true, maxRetries: 2 }).catch(() => undefined);
  }
}

function privateEnvironment(home: string, path: string): Record<string, string> {
  const folders = {
    XDG_CONFIG_HOME: "config",
    XDG_DATA_HOME: "data",
    XDG_STATE_HOME: "state",
    XDG_CACHE_HOME: "cache",
    XDG_RUNTIME_DIR: "run",
    TMPDIR: "tmp",
  };
  const environment: Record<string, string> = { PATH: path, HOME: home };
  for (const [variable, name] of Object.entries(folders)) {
    const folder = join(home, name);
    mkdirSync(folder, { mode: 0o700 });
    environment[variable] = folder;
  }
  return environment;
}

function run({ program, args, path, signal }: RunProbeOptions, home: string): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const chunks: Buffer[] = [];
  let bytes = 0;
  const child = spawn(program.executable, args, {
    argv0: program.name,
    cwd: home,
    env: privateEnvironment(home, path),
    stdio: ["ignore", "pipe", "ignore"],
    // A group of its own, so that what it starts can be ended with it.
    detached: true,
  });
  const timers: ReturnType<typeof setTimeout>[] = [];
  const end = (output: string | undefined): void => {
    timers.forEach(clearTimeout);
    signal.removeEventListener("abort", giveUp);
    killGroup(child.pid);
    child.stdout.destroy();
    resolve(output);
  };
  const giveUp = (): void => end(undefined);
  signal.addEventListener("abort", giveUp);
  timers.push(setTimeout(giveUp, DEADLINE_MS));
  child.stdout.on("data", (chunk: Buffer) => {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > MAX_OUTPUT_BYTES) end(undefined);
  });
  child.on("error", giveUp);
  child.on("exit", (code) => {
    killGroup(child.pid);
    const finish = (): void => end(code === 0 ? Buffer.concat(chunks).toString("utf8") : undefined);
    child.on("close", finish);
    timers.push(setTimeout(finish, OUTPUT_END_MS));
  });
  return promise;
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // ESRCH: all of it is gone already.
  }
}
