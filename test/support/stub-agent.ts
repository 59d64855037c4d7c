import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Host } from "./host.ts";
import type { TempRoots } from "./temp-roots.ts";
import { until } from "./until.ts";

/** A stub agent: a script on a PATH of the test's own, and the files through which it is asked and told. */
export class StubAgent {
  readonly program: string;
  readonly #base: string;

  /**
   * Asked for `--version` it prints what `version` says at that moment, and writes down its environment. Started in any
   * other way it writes down arguments, environment and folder, and then runs `body`, by default reading its terminal.
   */
  constructor(roots: TempRoots, name: string, body = "exec cat") {
    const bin = stubFolder(roots);
    this.program = join(bin, name);
    this.#base = join(roots.base, `stub-${name}`);
    const script = `#!/bin/sh
base=${this.#base}
if [ "$1" = --version ]; then
  { pwd; env; } >> "$base.probes"
  [ -f "$base.hook" ] && . "$base.hook"
  [ -f "$base.version" ] && cat "$base.version"
  exit $(cat "$base.code" 2>/dev/null || echo 0)
fi
{ printf '%s\\n' "$0" "$PWD" "$#" "$@"; env; } > "$base.new"
mv "$base.new" "$base.started"
${body}
`;
    writeFileSync(this.program, script, { mode: 0o755 });
    this.tellVersion(`${name} 1.2.3`);
  }

  /** What it prints from now on when it is asked for its version. */
  tellVersion(text: string, exitCode = 0): void {
    writeFileSync(`${this.#base}.version`, `${text}\n`);
    writeFileSync(`${this.#base}.code`, String(exitCode));
  }

  /** Shell commands that it runs when it is asked for its version, before it answers. */
  whenAsked(commands: string): void {
    writeFileSync(`${this.#base}.hook`, `${commands}\n`);
  }

  /** Lines of folder and environment that its probes saw. */
  get probed(): readonly string[] {
    const path = `${this.#base}.probes`;
    return existsSync(path) ? readFileSync(path, "utf8").trimEnd().split("\n") : [];
  }

  get wasStarted(): boolean {
    return existsSync(`${this.#base}.started`);
  }

  /** Lets `start` and `wasStarted` tell of the next start. */
  forgetStart(): void {
    rmSync(`${this.#base}.started`, { force: true });
  }

  /** How it was started last. */
  async start(): Promise<{ program: string; cwd: string; args: string[]; env: string[] }> {
    const text = await until(
      "the stub to start",
      () => this.wasStarted && readFileSync(`${this.#base}.started`, "utf8"),
    );
    const [program = "", cwd = "", count = "0", ...rest] = text.trimEnd().split("\n");
    return { program, cwd, args: rest.slice(0, Number(count)), env: rest.slice(Number(count)) };
  }
}

function stubFolder(roots: TempRoots): string {
  const bin = join(roots.base, "bin");
  mkdirSync(bin, { recursive: true });
  return bin;
}

/** A PATH with the stubs first. */
export function stubPath(roots: TempRoots): string {
  return `${stubFolder(roots)}:/usr/local/bin:/usr/bin:/bin`;
}

interface RuntimeTexts {
  /** Further lines of runtime.toml. */
  readonly descriptor?: string;
  readonly detection?: string;
}

/** Links a package for a runtime of this name, whose program is called the same, and switches it on. Returns its digest. */
export async function installRuntime(host: Host, id: string, more: string | RuntimeTexts = ""): Promise<string> {
  const { descriptor: rows = "", detection = "" } = typeof more === "string" ? { descriptor: more } : more;
  const folder = join(host.roots.base, `package-${id}`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "runtime.toml"), descriptor(id, rows));
  writeFileSync(join(folder, "detection.toml"), detection);
  const linked = await host.call<{ package: { digest: string } }>("package.link", {
    directory: folder,
    dry_run: false,
  });
  const { digest } = linked.package;
  await host.call("package.set_enabled", { digest, enabled: true });
  await host.call("package.select", { digest });
  return digest;
}

function descriptor(id: string, more: string): string {
  return `schema = 1
[package]
id = "example.${id}"
version = "1.0.0"
[runtime]
id = "${id}"
display_name = "Stub ${id}"
proven_with = "1.2.0"
preference = 10
process_names = ["${id}"]
[version_probe]
parser = "semver-line-v1"
args = ["--version"]
template = "${id} {version}"
min = "1.0.0"
below = "2.0.0"
[input]
text_policy = "unrestricted"
ready = "screen_idle"
mid_turn = "queued"
${more.includes("[launch]") ? "" : `[launch]\nprogram = "${id}"\nargs = ["--plain"]\n`}${more}
`;
}

/** A profile of the host. */
export function writeProfile(roots: TempRoots, name: string, text: string): string {
  const folder = join(roots.config, "agents");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `${name}.toml`);
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}
