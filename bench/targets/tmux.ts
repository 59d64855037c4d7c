import { mkdirSync } from "node:fs";
import { SCREEN } from "../outer-terminal.ts";
import { runCommand } from "./command.ts";
import type { Target } from "./target.ts";

/** One tmux server of our own without anyone's configuration, kept running as our daemon is. */
export function openTmux(folder: string, baseEnv: Readonly<Record<string, string>>): Target {
  mkdirSync(folder, { recursive: true });
  const env = { ...baseEnv, TMUX_TMPDIR: folder };
  const tmux = (...args: string[]): string[] => ["tmux", "-L", "bench", "-f", "/dev/null", ...args];
  const create = (session: string, argv: readonly string[]): void => {
    const size = ["-x", String(SCREEN.cols), "-y", String(SCREEN.rows)];
    runCommand(tmux("new-session", "-d", "-s", session, ...size, ...argv), env);
  };
  create("keeper", ["sleep", "100000"]);
  const server = Number(runCommand(tmux("display-message", "-p", "#{pid}"), env));
  return {
    name: "tmux",
    env,
    create,
    attachCommand: (session) => tmux("attach-session", "-t", session),
    listCommand: () => tmux("list-sessions"),
    destroy: (session) => void runCommand(tmux("kill-session", "-t", session), env),
    sessionProcesses: () => [server],
    serverProcesses: () => [],
    [Symbol.asyncDispose]: async () => void runCommand(tmux("kill-server"), env),
  };
}
