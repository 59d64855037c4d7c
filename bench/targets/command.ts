/** Runs a command to its end with nothing on standard input; throws with its reason when it fails. */
export function runCommand(argv: readonly string[], env: Readonly<Record<string, string>>): string {
  const result = Bun.spawnSync([...argv], { env, cwd: "/", stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  if (result.exitCode !== 0)
    throw new Error(`${argv.join(" ")}: exit code ${result.exitCode}: ${result.stderr.toString().trim()}`);
  return result.stdout.toString();
}
