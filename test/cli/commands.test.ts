import { describe, expect, test } from "bun:test";
import { startHost } from "../support/index.ts";
import { runCli, runJson } from "./support/index.ts";

interface SessionDocument {
  readonly id: string;
  readonly name?: string;
  readonly cwd: string;
  readonly state: string;
  readonly runtime: { readonly worker_instance_id: string; readonly runtime_generation: string };
}

const SHELL = ["--", "/bin/sh"];

/** Every command that asks a daemon, in an order in which each succeeds: as a person types it, and with what it must say. */
const WORKFLOW: readonly (readonly [words: readonly string[], says: RegExp])[] = [
  [["agents"], /^AGENT +RUNS +STATE +VERSION +PROVEN\nshell +Shell +ready +- +-\n/],
  [["health"], /^ok: daemon 0\.1\.0, protocol 4\n$/],
  [["status"], /^daemon +running, 0\.1\.0\n/],
  [["doctor"], /\nwarn {2}daemon: agents +not installed: [^\n]+\n(?:ok [^\n]+\n)+overall: warn\n$/],
  [["ls"], /^NAME +STATE +AGENT +DIRECTORY +AGE\napi +/],
  [["session", "list"], /^NAME/],
  [["list", "--filter", "state=running", "-q"], /^s-\w{26}\n$/],
  [["ls", "--filter", "state=done"], /^No session matches\.\n$/],
  [["inspect", "api"], /\nstate +\w+/],
  [["session", "inspect", "api"], /^name +api\n/],
  [["send", "api", "echo sent-$((1+1))"], /^sent to api\n$/],
  [["session", "input", "api", "--stdin"], /^sent to api\n$/],
  [["session", "wait", "api", "--state", "running", "--timeout-ms", "5000"], /^api: state_matched, /],
  [["screen", "api"], /sent-2/],
  [["read", "api"], /sent-2/],
  [["session", "output", "api"], /sent-2/],
  [["wait", "api", "--for", "ready", "--timeout", "10s"], /^api: Ready\n$/],
  [["resize", "api", "--cols", "100", "--rows", "30"], /^api is 100 x 30 now\n$/],
  [["metadata", "api", "--set", "ticket=7", "--set", "who=ann"], /^ticket +7\nwho +ann\n$/],
  [["session", "metadata", "api", "--clear", "who"], /^ticket +7\n$/],
  [["session", "runtime-inventory"], /managed/],
  [["host", "list"], /^HOST.*\nlocal +0\.1\.0\n$/],
  [["host", "discover"], /^No other hosts/],
  [["host", "inspect", "local"], /\nagent shell +available/],
  [["rename", "api", "web"], /^api is web now\n$/],
  [["session", "rename", "web", "--clear"], /^web has no name now\n$/],
];

describe("every command that asks a daemon", () => {
  test("says something to a person, and the same as one JSON document to a program", async () => {
    for (const asJson of [false, true]) {
      await using host = await startHost({ env: { PATH: "/usr/bin:/bin" } });
      expect((await runCli(host.roots, ["new", "--name", "api", ...SHELL])).stdout).toBe("started api\n");
      for (const [words, says] of WORKFLOW) {
        const stdin = words.includes("--stdin") ? { stdin: "echo more" } : {};
        if (asJson) {
          const { code, ok } = await runJson(host.roots, words, stdin);
          expect({ words, code, hasResult: ok !== undefined }).toEqual({ words, code: 0, hasResult: true });
        } else {
          const { code, stdout, stderr } = await runCli(host.roots, words, stdin);
          expect({ words, code, stderr }).toEqual({ words, code: 0, stderr: "" });
          expect(stdout).toMatch(says);
        }
      }
    }
  }, 60_000);

  test("stop, remove, and what the daemon refuses", async () => {
    await using host = await startHost();
    const { ok: started } = await runJson<SessionDocument>(host.roots, ["new", "-n", "api", "--meta", "k=v", ...SHELL]);
    expect(started).toMatchObject({ name: "api", state: "running", cwd: host.roots.home, metadata: { k: "v" } });
    for (const [words, code] of [
      [["fork", "api"], "agent_fork_unsupported"],
      [["resume", "api"], "session_not_terminal"],
      [["inspect", "nope"], "session_not_found"],
      [["metadata", "api", "--set", `${"k".repeat(65)}=1`], "bad_request"],
      [["new", "--agent", "nobody"], "agent_profile_not_found"],
    ] as const) {
      const { code: exit, err } = await runJson(host.roots, words);
      expect({ words, exit, error: err.code }).toEqual({ words, exit: 1, error: code } as never);
    }
    expect((await runJson(host.roots, ["stop", "api"])).ok).toEqual({ stopped: true });
    expect((await runCli(host.roots, ["ls"])).stdout).toContain("Stopped");
    expect((await runJson<object>(host.roots, ["rm", "api"])).ok).toMatchObject({ removed: true });
    expect((await runJson(host.roots, ["ls"])).ok).toEqual([]);
  });

  test("waits with an exit code of their own for a time that is over", async () => {
    await using host = await startHost();
    await host.newSession({ name: "job", command: ["/bin/sleep", "1000"] });
    const late = await runJson<{ reason: string }>(host.roots, ["wait", "job", "--timeout", "200ms"]);
    expect({ code: late.code, reason: late.ok.reason }).toEqual({ code: 124, reason: "timeout" });
    const raw = await runJson<{ reason: string }>(host.roots, [
      "session",
      "wait",
      "job",
      "--state",
      "done",
      "--timeout-ms",
      "200",
    ]);
    expect({ code: raw.code, reason: raw.ok.reason }).toEqual({ code: 124, reason: "timeout" });
    const waiting = runCli(host.roots, ["wait", "job"]);
    await runCli(host.roots, ["stop", "job"]);
    expect(await waiting).toEqual({ code: 0, stdout: "job: Stopped\n", stderr: "" });
    const other = await runCli(host.roots, ["wait", "job", "--for", "working"]);
    expect(other.code).toBe(1);
  });

  test("output goes on where it was left, and tells a program what it missed", async () => {
    await using host = await startHost();
    const { id, runtime } = await host.newSession({
      name: "job",
      command: ["/bin/sh", "-c", "printf one; read x; printf two; read x"],
    });
    await runCli(host.roots, ["session", "wait", "job", "--state", "running", "--timeout-ms", "5000"]);
    const identity = [
      "--worker-instance-id",
      runtime.worker_instance_id,
      "--runtime-generation",
      runtime.runtime_generation,
    ];
    const output = async (after: string) => {
      const words = ["session", "output", id, ...identity, "--after-offset", after, "--wait-ms", "5000"];
      const { ok } = await runJson<{ data_base64: string; next_offset: string }>(host.roots, words);
      return { text: Buffer.from(ok.data_base64, "base64").toString(), next: ok.next_offset };
    };
    const first = await output("0");
    expect(first.text).toBe("one");
    await runCli(host.roots, ["send", "job", "go"]);
    let text = "";
    for (let next = first.next; !text.includes("two"); ) {
      const more = await output(next);
      text += more.text;
      next = more.next;
    }
    expect(text).toContain("two");
  });

  test("targets may be given by a beginning of the id, with the host or without", async () => {
    await using host = await startHost();
    const { id } = await host.newSession();
    for (const target of [id, id.slice(0, 12), id.slice(2, 14).toLowerCase(), `local/${id}`]) {
      expect((await runJson<SessionDocument>(host.roots, ["inspect", target])).ok.id).toBe(id);
    }
  });

  test("text that is not UTF-8 or too long is refused before anything is typed", async () => {
    await using host = await startHost();
    await host.newSession({ name: "api" });
    const { code, err } = await runJson(host.roots, ["send", "api", "--stdin"], { stdin: "x".repeat(262_145) });
    expect({ code, error: err.code }).toEqual({ code: 2, error: "cli_usage" });
    expect(err.msg).toContain("262144");
  });
});
