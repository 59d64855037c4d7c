import { mkdirSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { SCREEN } from "../outer-terminal.ts";
import { runCommand } from "./command.ts";
import type { Target } from "./target.ts";

const PROGRAM = join(import.meta.dir, "../../dist/pohunek");

interface Process {
  readonly pid: number;
  readonly isWorker: boolean;
}

function readProcess(pid: string, folder: string): Process | undefined {
  try {
    if (!readlinkSync(`/proc/${pid}/exe`).startsWith(PROGRAM)) return undefined;
    const facts = readFileSync(`/proc/${pid}/cmdline`, "latin1") + readFileSync(`/proc/${pid}/environ`, "latin1");
    if (!facts.includes(folder)) return undefined;
    return { pid: Number(pid), isWorker: readFileSync(`/proc/${pid}/comm`, "utf8").startsWith("pohunek-session") };
  } catch {
    return undefined; // ended meanwhile, or not ours to look at
  }
}

/** Our program with folders and a daemon of its own, through its command line as a person uses it. */
export function openPohunek(folder: string, baseEnv: Readonly<Record<string, string>>): Target {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const env = { ...baseEnv, HOME: folder, XDG_RUNTIME_DIR: folder };
  const pohunek = (...args: string[]): string[] => [PROGRAM, ...args];
  runCommand(pohunek("daemon", "start", "--detach"), env);
  const size = ["--cols", String(SCREEN.cols), "--rows", String(SCREEN.rows)];
  const findProcesses = (): Process[] =>
    readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? (readProcess(name, folder) ?? []) : []));
  return {
    name: "pohunek",
    env,
    create: (session, argv) => void runCommand(pohunek("new", "--name", session, ...size, "--", ...argv), env),
    attachCommand: (session) => pohunek("attach", session),
    listCommand: () => pohunek("ls"),
    controlSocket: join(folder, "pohunek", "daemon.sock"),
    readOutput: (session) => {
      runCommand(pohunek("wait", session), env);
      return runCommand(pohunek("output", session, "--max-bytes", "131072"), env);
    },
    destroy: (session) => void runCommand(pohunek("rm", session), env),
    sessionProcesses: () => findProcesses().flatMap(({ pid, isWorker }) => (isWorker ? [pid] : [])),
    serverProcesses: () => findProcesses().flatMap(({ pid, isWorker }) => (isWorker ? [] : [pid])),
    [Symbol.asyncDispose]: async () => {
      const ids = runCommand(pohunek("ls", "--quiet"), env).split("\n").filter(Boolean);
      for (const id of ids) runCommand(pohunek("rm", id), env);
      runCommand(pohunek("daemon", "stop"), env);
    },
  };
}
