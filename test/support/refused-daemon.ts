import { programCommand } from "./program.ts";

export interface RefusedStart {
  readonly code: number;
  readonly stderr: string;
}

/** Runs a daemon that must end by itself. */
export async function runDaemon(
  env: Readonly<Record<string, string>>,
  args: readonly string[] = [],
): Promise<RefusedStart> {
  const daemon = Bun.spawn([...programCommand("daemon", "run"), ...args], {
    env: { ...env },
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
  });
  const [stderr, code] = await Promise.all([daemon.stderr.text(), daemon.exited]);
  return { code, stderr };
}
