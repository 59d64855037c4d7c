import type { TempRoots } from "../../support/index.ts";
import { programCommand } from "../../support/index.ts";

export interface CliResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  readonly cwd?: string;
}

/** Runs `pohunek` to its end, without a terminal. */
export async function runCli(roots: TempRoots, words: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  const child = Bun.spawn(programCommand(...words), {
    env: roots.environment(options.env),
    cwd: options.cwd ?? roots.home,
    stdin: options.stdin === undefined ? "ignore" : Buffer.from(options.stdin),
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { code, stdout, stderr };
}

/** The one JSON document of a command, with the exit code. */
export interface CliDocument<Ok = unknown> {
  readonly code: number;
  readonly ok: Ok;
  readonly err: { readonly class: string; readonly code: string; readonly msg: string; readonly recover?: string };
}

/** Runs a command with `--json` and checks the envelope that all of them share. */
export async function runJson<Ok = unknown>(
  roots: TempRoots,
  words: readonly string[],
  options: CliOptions = {},
): Promise<CliDocument<Ok>> {
  const { code, stdout, stderr } = await runCli(roots, ["--json", ...words], options);
  if (stderr !== "") throw new Error(`${words.join(" ")} wrote to its error output: ${stderr}`);
  const document = JSON.parse(stdout) as Record<string, unknown>;
  const { cli_version: version, protocol, ...rest } = document;
  if (typeof version !== "string" || !Bun.deepEquals(protocol, { minimum: 3, maximum: 4 })) {
    throw new Error(`${words.join(" ")} printed a strange envelope: ${stdout}`);
  }
  const keys = Object.keys(rest);
  const isRight = keys.length === 1 && keys[0] === ("err" in rest ? "err" : "ok");
  if (!isRight || stdout !== `${JSON.stringify(document, undefined, 2)}\n`) {
    throw new Error(`${words.join(" ")} printed not exactly one document: ${stdout}`);
  }
  return { code, ...rest } as CliDocument<Ok>;
}
