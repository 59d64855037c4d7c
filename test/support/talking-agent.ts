import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Host } from "./host.ts";
import type { TempRoots } from "./temp-roots.ts";

/** How the stub's conversation becomes known. */
type ReferenceStrategy = "assigned" | "open_file" | "exit_text" | "reported";

const DETECTION = `schema = 1
[[rule]]
id = "ready"
state = "idle"
priority = 10
region = "last_lines"
lines = 2
regex = '^parrot>'
`;

/**
 * An agent that keeps a file for each conversation, repeats what it is told, and reads the old conversation aloud when it
 * takes one up. It writes down each of its command lines.
 */
const PROGRAM = String.raw`#!/bin/sh
home="$PARROT_HOME"
[ -n "$home" ] || home="$HOME/.parrot"
if [ "$1" = --version ]; then echo "$STUB_VERSION"; exit 0; fi
mkdir -p "$home/talks" "$home/locks"
{ for word in "$@"; do printf '%s\n' "$word"; done; printf -- '--\n'; } >>"$home/runs"
from='' id='' old=''
while [ $# -gt 0 ]; do
  case "$1" in
    --id) id="$2"; shift;;
    --again) id="$2"; old="$2"; shift;;
    --fork) old="$2"; shift;;
  esac
  shift
done
[ -n "$id" ] || id="talk-$(cat /proc/sys/kernel/random/uuid)"
printf '%s\n' "$PARROT_SECRET" >"$home/secret-seen"
exec 9>"$home/locks/$id.lock"
if [ -n "$old" ]; then
  [ -f "$home/talks/$old.txt" ] || { echo "no such talk"; exit 3; }
  [ "$old" = "$id" ] || cp "$home/talks/$old.txt" "$home/talks/$id.txt"
  while read -r line; do echo "earlier: $line"; done <"$home/talks/$id.txt"
fi
printf 'parrot> '
while read -r line; do
  case "$line" in
    slow) trap 'sleep 2; echo tidied >"$HOME/tidied"; exit 0' HUP TERM; echo "takes its time";;
    quit) printf 'Go on with: parrot --again %s\n' "$id"; exit 0;;
    helper) setsid sh -c 'echo $$ >"$HOME/helper"; exec sleep 600' 9>&- & ;;
    modes) printf '\033[?1049h\033[?1003h\033[?1006h\033[?2004h\033[?25l'; exec sleep 600;;
  esac
  printf '%s\n' "$line" >>"$home/talks/$id.txt"
  printf 'you said: %s\nparrot> ' "$line"
done
`;

const REFERENCES: Record<ReferenceStrategy, string> = {
  assigned: 'store = { directory = "talks", name = "{reference}.txt" }',
  open_file: 'open_file = { directory = "locks", name = "{reference}.lock" }\nexit_text = "parrot --again {reference}"',
  exit_text: 'exit_text = "parrot --again {reference}"',
  reported: "",
};

export interface TalkingOptions {
  readonly strategy?: ReferenceStrategy;
  readonly canFork?: boolean;
  readonly version?: string;
  /** The package asks for so much time between the polite signals and SIGKILL. */
  readonly graceMs?: number;
  /** The option that resumes, in this version of the package. */
  readonly resumeWord?: string;
}

/** The stub's program and its package, in the folders of one host. */
export class TalkingAgent {
  readonly #roots: TempRoots;
  /** Of the package that was installed last. */
  digest = "";

  constructor(roots: TempRoots) {
    this.#roots = roots;
    this.writeProgram();
  }

  /** For the daemon: the folder of the program comes first. */
  get environment(): Record<string, string> {
    return { PATH: `${join(this.#roots.base, "bin")}:${process.env["PATH"] ?? ""}` };
  }

  writeProgram(version = "parrot 1.2.3"): void {
    const bin = join(this.#roots.base, "bin");
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(bin, "parrot"), PROGRAM.replace("$STUB_VERSION", version), { mode: 0o755 });
  }

  /** Installs and switches on a package that serves the agent `parrot`. */
  async install(host: Host, options: TalkingOptions = {}): Promise<void> {
    const { version = "1.0.0" } = options;
    const folder = join(this.#roots.base, `package-${version}`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "detection.toml"), DETECTION);
    writeFileSync(join(folder, "runtime.toml"), descriptor(options));
    const linked = await host.call<{ package: { digest: string } }>("package.link", {
      directory: folder,
      dry_run: false,
    });
    const { digest } = linked.package;
    await host.call("package.set_enabled", { digest, enabled: true });
    await host.call("package.select", { digest });
    this.digest = digest;
  }

  /** Arguments of all runs so far. */
  runs(home = ".parrot"): string[][] {
    const path = join(this.#roots.home, home, "runs");
    if (!existsSync(path)) return [];
    return readFileSync(path, "utf8")
      .split("--\n")
      .slice(0, -1)
      .map((run) => run.trimEnd().split("\n"));
  }

  /** The process that outlives its agent, once that was told "helper". */
  get helperPid(): number | undefined {
    const path = join(this.#roots.home, "helper");
    return existsSync(path) ? Number(readFileSync(path, "utf8")) || undefined : undefined;
  }

  /** As when its owner cleared the agent's history. */
  forget(reference: string): void {
    rmSync(this.talk(reference));
  }

  /** The file of a conversation. */
  talk(reference: string, home = ".parrot"): string {
    return join(this.#roots.home, home, "talks", `${reference}.txt`);
  }
}

function descriptor(options: TalkingOptions): string {
  const { strategy = "assigned", canFork = true, version = "1.0.0", resumeWord = "--again", graceMs } = options;
  const isAssigned = strategy === "assigned";
  return `schema = 1
[package]
id = "example.parrot"
version = "${version}"
[runtime]
id = "parrot"
display_name = "Parrot"
preference = 1
process_names = ["parrot"]
[launch]
program = "parrot"
args = ["--plain"]
${isAssigned ? 'assign_args = ["--id", "{reference}"]' : ""}
[version_probe]
parser = "semver-line-v1"
args = ["--version"]
template = "parrot {version}"
min = "1.0.0"
below = "2.0.0"
[config_home]
variable = "PARROT_HOME"
default = ".parrot"
[native_reference]
kind = "id"
strategy = "${strategy}"
${REFERENCES[strategy]}
[resume]
args = ["--plain", "${resumeWord}", "{reference}"]
${canFork ? `fork_args = ["--fork", "{reference}"${isAssigned ? ', "--id", "{new_reference}"' : ""}]` : ""}
${graceMs === undefined ? "" : `[stop]\ngrace_ms = ${graceMs}`}
[input]
bracketed_paste = false
text_policy = "unrestricted"
ready = "screen_idle"
mid_turn = "queued"
`;
}
