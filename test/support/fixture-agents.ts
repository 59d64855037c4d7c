import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Host, HostOptions, SessionFacts } from "./host.ts";
import { startHost } from "./host.ts";
import { TempRoots } from "./temp-roots.ts";

/** What a program in test/fixtures/agents wrote down. */
interface Noted {
  readonly kind: "submitted" | "pasted" | "answered" | "key" | "empty" | "lost" | "second step";
  readonly text: string;
}

export interface AgentPackage {
  /** Lines of the table [input] in place of the usual ones. */
  readonly input?: Readonly<Record<string, string>>;
  /** Text of detection.toml. */
  readonly detection?: string;
}

const FIXTURES = join(import.meta.dir, "../fixtures/agents");

const INPUT = {
  bracketed_paste: "true",
  submit_delay_ms: "20",
  text_policy: '"unrestricted"',
  ready: '"screen_idle"',
  clear_line: '{ keys = "\\u0015", repeat = 4 }',
  mid_turn: '"queued"',
};

/** Knows the screen of test/fixtures/agents/composer-agent.ts. */
const COMPOSER_DETECTION = `schema = 1
[[rule]]
id = "question"
state = "blocked"
detail = "approval"
priority = 9
contains = "Enter to confirm"
choose = "down"
[rule.capture]
question = '(?<question>Do you [^?]*\\?)'
options = '^\\s*(?<marker>>)?\\s*(?<key>[0-9]+)\\. (?<label>.+)$'
[[rule]]
id = "busy"
state = "working"
priority = 5
contains = "esc to interrupt"
[[rule]]
id = "composer"
state = "idle"
contains = "ready for a prompt"
`;

/** A host on whose PATH the fixture agents are, each with a package of its name that is linked and switched on. */
export async function startHostWithAgents(
  packages: Readonly<Record<string, AgentPackage>>,
  options: HostOptions = {},
): Promise<Host> {
  const roots = options.roots ?? new TempRoots();
  const bin = join(roots.base, "bin");
  mkdirSync(bin, { recursive: true });
  for (const name of Object.keys(packages)) {
    const script = `#!/bin/sh\nFIXTURE_LOG=${roots.base}/noted-$POHUNEK_SESSION_ID exec ${process.execPath} ${FIXTURES}/${name}.ts\n`;
    writeFileSync(join(bin, name), script, { mode: 0o755 });
  }
  const env = { PATH: `${bin}:${process.env["PATH"] ?? ""}`, ...options.env };
  const host = await startHost({ ...options, roots, env });
  for (const [name, content] of Object.entries(packages)) {
    await installAgent(host, name, content);
  }
  return host;
}

async function installAgent(host: Host, name: string, { input, detection }: AgentPackage): Promise<void> {
  const directory = join(host.roots.base, "packages", name);
  mkdirSync(directory, { recursive: true });
  const rules = Object.entries({ ...INPUT, ...input }).map(([key, value]) => `${key} = ${value}`);
  const descriptor = `schema = 1
[package]
id = "test.runtime.${name}"
version = "1.0.0"
[runtime]
id = "${name}"
display_name = "${name}"
process_names = ["${name}"]
[launch]
program = "${name}"
[input]
${rules.join("\n")}
`;
  writeFileSync(join(directory, "runtime.toml"), descriptor);
  writeFileSync(join(directory, "detection.toml"), detection ?? COMPOSER_DETECTION);
  const { package: linked } = await host.call<{ package: { digest: string } }>("package.link", {
    directory,
    dry_run: false,
  });
  await host.call("package.set_enabled", { digest: linked.digest, enabled: true });
}

export async function startAgent(host: Host, agent: string, more: object = {}): Promise<SessionFacts> {
  return await host.newSession({ agent, command: undefined, ...more });
}

/** What a session's agent wrote down so far. */
export function notedBy(host: Host, { id }: Pick<SessionFacts, "id">): Noted[] {
  const path = join(host.roots.base, `noted-${id}`);
  const text = existsSync(path) ? readFileSync(path, "utf8") : "";
  return text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Noted);
}
