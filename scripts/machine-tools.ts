/** The programs that tests drive and that a bare machine may lack: found on PATH, else installed where this is root on Debian. */

interface MachineTool {
  readonly command: string;
  /** Debian's package. */
  readonly package: string;
  readonly reason: string;
}

const TOOLS: readonly MachineTool[] = [
  { command: "tmux", package: "tmux", reason: "the benchmark's other side, run once by its test" },
  { command: "zsh", package: "zsh", reason: "completions are tried in the shell itself" },
  { command: "fish", package: "fish", reason: "completions are tried in the shell itself" },
  { command: "python3", package: "python3", reason: "a peer of another user, and sockets that Bun cannot open" },
  { command: "bwrap", package: "bubblewrap", reason: "real agents run without a network" },
  { command: "git", package: "git", reason: "the planted-fault tests copy what git tracks" },
];

const APT = ["-y", "-qq", "-o", "DPkg::Lock::Timeout=300", "--no-install-recommends"];

function runApt(...args: string[]): void {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const result = Bun.spawnSync(["apt-get", ...args], { env, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  if (result.exitCode !== 0) {
    throw new Error(`apt-get ${args[0]} failed with exit code ${result.exitCode}:\n${result.stderr.toString()}`);
  }
}

/** Returns what is still missing, each as a sentence. */
export function installMissingTools(): string[] {
  const findMissing = (): MachineTool[] => TOOLS.filter(({ command }) => Bun.which(command) === null);
  const missing = findMissing();
  if (missing.length > 0 && process.getuid?.() === 0 && Bun.which("apt-get") !== null) {
    const packages = missing.map((tool) => tool.package);
    console.log(`installing ${packages.join(", ")} (apt-get)`);
    runApt("update", "-qq");
    runApt("install", ...APT, ...packages);
  }
  return findMissing().map((tool) => `${tool.command} is missing (${tool.reason}); install ${tool.package}`);
}
