import { describe, expect, test } from "bun:test";
import { TempRoots } from "../support/index.ts";
import { CliTerminal, runCli, runJson, sampleSession, standInDaemon } from "./support/index.ts";

describe("versions", () => {
  test.each([
    [2, "the daemon is older than this program", "pohunek daemon restart"],
    [5, "this program is older than the daemon", "Update this pohunek"],
  ])("a daemon of protocol %i: the message names the older side and ends no session", async (version, says, next) => {
    using roots = new TempRoots();
    await using _daemon = await standInDaemon(roots, { versions: { minimum: version, maximum: version } });
    const { code, err } = await runJson(roots, ["ls"]);
    expect({ code, error: err.code }).toEqual({ code: 1, error: "version_mismatch" });
    expect(err.msg).toContain(says);
    expect(err.recover).toContain(next);
    expect(`${err.msg} ${err.recover}`).not.toMatch(/stop|kill|remove/);
  });
});

describe("text of others", () => {
  const evil = "x\u001b]0;owned\u0007\u001b[2J\u009b31m\u202egnp";

  test("reaches the terminal without its control characters", async () => {
    using roots = new TempRoots();
    const session = sampleSession({ name: evil, cwd: `/tmp/${evil}`, metadata: { k: evil } });
    await using _daemon = await standInDaemon(roots, {
      handlers: {
        "session.list": () => [session],
        "session.inspect": () => session,
        "session.screen": () => ({ visible_lines: [evil, ""], cursor: { row: 0, col: 0, visible: true } }),
      },
    });
    for (const words of [["ls"], ["inspect", String(session["id"])], ["screen", String(session["id"])]]) {
      const { code, stdout } = await runCli(roots, words);
      expect(code).toBe(0);
      expect(stdout).toContain("x]0;owned[2J31mgnp");
      expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    }
  });

  test("is left as it is in JSON", async () => {
    using roots = new TempRoots();
    await using _daemon = await standInDaemon(roots, {
      handlers: { "session.list": () => [sampleSession({ name: evil })] },
    });
    const { ok } = await runJson<{ name: string }[]>(roots, ["ls"]);
    expect(ok[0]?.name).toBe(evil);
  });
});

describe("colours", () => {
  const handlers = { "session.list": () => [sampleSession({ activity: "blocked" })] };

  test("are for terminals only", async () => {
    using roots = new TempRoots();
    await using _daemon = await standInDaemon(roots, { handlers });
    expect((await runCli(roots, ["ls"])).stdout).not.toContain("\u001b");
    await using terminal = new CliTerminal(roots, ["ls"]);
    expect(await terminal.exited).toBe(0);
    await terminal.untilOutput("\u001b[33mNeeds you\u001b[39m");
  });

  test.each([
    ["NO_COLOR", "1"],
    ["TERM", "dumb"],
  ] as const)("are not for %s=%s", async (name, value) => {
    using roots = new TempRoots();
    await using _daemon = await standInDaemon(roots, { handlers });
    await using terminal = new CliTerminal(roots, ["ls"], { env: { [name]: value } });
    expect(await terminal.exited).toBe(0);
    await terminal.untilOutput("Needs you");
    expect(terminal.output).not.toContain("\u001b");
  });

  test("come with FORCE_COLOR, unless NO_COLOR is there too", async () => {
    using roots = new TempRoots();
    await using _daemon = await standInDaemon(roots, { handlers });
    expect((await runCli(roots, ["ls"], { env: { FORCE_COLOR: "1" } })).stdout).toContain("\u001b[33m");
    expect((await runCli(roots, ["ls"], { env: { FORCE_COLOR: "1", NO_COLOR: "1" } })).stdout).not.toContain("\u001b");
  });
});

describe("the list on a narrow terminal", () => {
  test("fits, with every state in words", async () => {
    using roots = new TempRoots();
    const states = [
      { activity: "working" },
      { activity: "blocked" },
      { activity: "idle" },
      { state: "failed", exit_code: 127 },
      { runtime: { state: "lost", runtime_generation: "1" } },
    ];
    const sessions = states.map((facts, index) =>
      sampleSession({
        id: `s-01KB000000000000000000000${index}`,
        name: `session number ${index}`,
        cwd: `/srv/${"long/".repeat(20)}end`,
        ...facts,
      }),
    );
    await using _daemon = await standInDaemon(roots, { handlers: { "session.list": () => sessions } });
    await using terminal = new CliTerminal(roots, ["ls"], { cols: 80 });
    expect(await terminal.exited).toBe(0);
    const rows = (await terminal.screen()).filter((row) => row !== "");
    expect(rows).toHaveLength(6);
    for (const word of ["Working", "Needs you", "Ready", "Failed (127)", "Lost"])
      expect(rows.join("\n")).toContain(word);
    expect(rows[1]).toMatch(/^session number 0 {2}Working {7}shell {2}\/srv\/long\/.*….*\/long\/end {2}\S+$/);
  });
});
