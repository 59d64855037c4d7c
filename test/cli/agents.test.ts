import { describe, expect, test } from "bun:test";
import { TempRoots, until } from "../support/index.ts";
import { CliTerminal, runCli, runJson, sampleSession, standInDaemon } from "./support/index.ts";

const SHELL = { agent: "shell", agent_base: "shell", available: true, supported: true, preference: 0 };
const ALPHA = {
  agent: "alpha",
  agent_base: "alpha",
  display_name: "Alpha Code",
  available: true,
  supported: true,
  version: "2.1.332",
  proven_with: "2.1.330",
  preference: 50,
};
const BETA = { ...ALPHA, agent: "beta", agent_base: "beta", display_name: "Beta", preference: 90 };
const RUNTIMES = [
  SHELL,
  ALPHA,
  {
    ...BETA,
    version: "9.0.0",
    supported: false,
    reason_code: "agent_runtime_unsupported",
    reason: "is 9.0.0; its package was made for [1.0.0, 2.0.0)",
  },
  {
    agent: "gamma",
    agent_base: "gamma",
    display_name: "Gamma",
    available: false,
    preference: 99,
    reason_code: "agent_binary_missing",
    reason: 'the program "gamma" is not installed on this host',
  },
  { agent: "work", agent_base: "alpha", available: true, supported: true, version: "2.1.332" },
  {
    agent: "broken",
    available: false,
    reason_code: "invalid_profile",
    reason: 'profile "broken": args must be a list',
  },
];

/** A daemon that has these agents and starts whatever it is asked to; `asked` is what it was asked to start. */
async function daemonWith(roots: TempRoots, runtimes: readonly object[]) {
  const asked: Record<string, unknown>[] = [];
  const server = await standInDaemon(roots, {
    handlers: {
      "host.inspect": () => ({
        daemon_version: "0.0.1",
        protocol_version: 4,
        supported_agents: [],
        runtimes,
        git_available: true,
        worktree_supported: false,
        terminal_read_supported: true,
        output_read_supported: true,
        session_wait_supported: true,
      }),
      "session.list": () => [],
      "session.new": (params) => {
        asked.push(params as Record<string, unknown>);
        const { agent, name } = params as { agent: string; name: string };
        return sampleSession({ agent, agent_base: agent, name });
      },
    },
  });
  return { asked, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

describe("agents", () => {
  test("are listed in 80 columns, those that can be started first, and why the others can't", async () => {
    using roots = new TempRoots();
    await using _daemon = await daemonWith(roots, RUNTIMES);
    const { stdout, code } = await runCli(roots, ["agents"]);
    expect(code).toBe(0);
    expect(stdout).toBe(
      [
        "AGENT   RUNS                STATE          VERSION  PROVEN",
        "alpha   Alpha Code          ready          2.1.332  2.1.330",
        "shell                       ready          -        -",
        "work    a profile of alpha  ready          2.1.332  -",
        "gamma   Gamma               not installed  -        -",
        "beta    Beta                unsupported    9.0.0    2.1.330",
        "broken                      invalid        -        -",
        "",
        "beta: is 9.0.0; its package was made for [1.0.0, 2.0.0)",
        'broken: profile "broken": args must be a list',
        "",
        "pohunek run starts Alpha Code (alpha).",
        "",
      ].join("\n"),
    );
    expect(stdout.split("\n").every((line) => line.length <= 80)).toBe(true);
    expect((await runJson(roots, ["agents"])).ok).toEqual(RUNTIMES);
    expect((await runCli(roots, ["complete", "agents"])).stdout).toBe("shell\tshell\nalpha\tAlpha Code\nwork\twork\n");
  });

  test.each([
    { what: "the best that can be started", runtimes: RUNTIMES, flags: [], chosen: "alpha" },
    { what: "the best of two", runtimes: [SHELL, ALPHA, BETA], flags: [], chosen: "beta" },
    { what: "the shell where no agent can", runtimes: [SHELL, ...RUNTIMES.slice(2)], flags: [], chosen: "shell" },
    { what: "what was asked for", runtimes: [SHELL, ALPHA, BETA], flags: ["--agent", "alpha"], chosen: "alpha" },
    { what: "the shell if asked to", runtimes: [SHELL, ALPHA], flags: ["--agent", "shell"], chosen: "shell" },
  ])("up starts $what and says so", async ({ runtimes, flags, chosen }) => {
    using roots = new TempRoots();
    await using daemon = await daemonWith(roots, runtimes);
    const { stdout } = await runCli(roots, ["up", ...flags]);
    expect(stdout).toMatch(
      new RegExp(`^Started "home" in /srv/project: ${chosen === "shell" ? "your shell" : chosen}\\.`),
    );
    expect(daemon.asked.map(({ agent }) => agent)).toEqual([chosen]);
  });

  test("run without a command starts the best one and says so", async () => {
    using roots = new TempRoots();
    await using daemon = await daemonWith(roots, RUNTIMES);
    await using terminal = new CliTerminal(roots, ["run"]);
    await terminal.untilScreen("Starting Alpha Code (alpha); --agent shell starts your shell.");
    await until("the agent to be started", () => daemon.asked.length > 0);
    expect(daemon.asked).toMatchObject([{ agent: "alpha" }]);
  });

  test("run takes a command or an agent that is no shell, not both", async () => {
    using roots = new TempRoots();
    await using daemon = await daemonWith(roots, RUNTIMES);
    await using terminal = new CliTerminal(roots, ["run", "--agent", "alpha", "make"]);
    await terminal.untilScreen("a command runs in a shell session only");
    await using shell = new CliTerminal(roots, ["run", "make", "all"]);
    await until("the command to be started", () => daemon.asked.length > 0);
    expect(daemon.asked).toMatchObject([{ agent: "shell", command: ["make", "all"] }]);
    await shell.untilScreen("method_not_found");
  });
});
