import { describe, expect, test } from "bun:test";
import type { Command } from "./command.ts";
import { command } from "./command.ts";
import type { ParsedLine } from "./parse.ts";
import { asksForJson, parseCommandLine } from "./parse.ts";
import type { Route } from "./route.ts";

const run = (): Promise<number> => Promise.resolve(0);

const commands: readonly Command[] = [
  command({
    name: "session new",
    aliases: ["new"],
    summary: "",
    flags: {
      name: { type: "text", value: "NAME", summary: "" },
      cols: { type: "integer", value: "N", range: [1, 500], summary: "" },
      meta: { type: "pairs", value: "KEY=VALUE", summary: "" },
      baseBranch: { type: "text", value: "B", summary: "" },
      filter: { type: "list", value: "F", short: "f", summary: "", choices: ["a", "b"] },
      quiet: { type: "switch", short: "q", summary: "" },
      timeout: { type: "duration", value: "TIME", summary: "" },
    },
    run,
  }),
  command({ name: "session list", aliases: ["ls"], summary: "", flags: {}, run }),
  command({ name: "stop", summary: "", arguments: [{ name: "session", summary: "" }], flags: {}, run }),
  command({
    name: "run",
    summary: "",
    arguments: [{ name: "command", summary: "", isRest: true, isOptional: true }],
    flags: { name: { type: "text", value: "NAME", summary: "" } },
    stopsAtFirstWord: true,
    output: "terminal",
    run,
  }),
  command({
    name: "help",
    summary: "",
    arguments: [{ name: "command", summary: "", isRest: true, isOptional: true }],
    flags: {},
    run,
  }),
];

const routes = commands.map(
  (one): Route => ({
    names: [one.name, ...(one.aliases ?? [])],
    load: () => Promise.resolve(one),
  }),
);

function parse(...words: string[]): Promise<ParsedLine> {
  return parseCommandLine(words, routes);
}

describe("a command line", () => {
  test("names a command by its long or short name", async () => {
    expect((await parse("session", "new")).command?.name).toBe("session new");
    expect((await parse("new")).command?.name).toBe("session new");
    expect((await parse("ls")).command?.name).toBe("session list");
    expect((await parse()).command).toBeUndefined();
  });

  test.each(["-h", "--help"])(
    "asks with the first word of several commands and %s for help about them",
    async (flag) => {
      const { command: asked, invocation } = await parse("session", flag);
      expect({ name: asked?.name, words: invocation.words }).toEqual({ name: "help", words: ["session"] });
    },
  );

  test("gives every flag a typed value", async () => {
    const line = ["new", "--name=a b", "--cols", "80", "--meta", "k=v=w", "--meta", "l=", "-qf", "a", "--filter", "b"];
    expect((await parse(...line, "--base-branch", "main", "--timeout", "1.5m")).invocation.flags).toEqual({
      name: "a b",
      cols: 80,
      meta: { k: "v=w", l: "" },
      baseBranch: "main",
      filter: ["a", "b"],
      quiet: true,
      timeout: 90_000,
    });
    const empty = { name: undefined, cols: undefined, meta: {}, baseBranch: undefined, filter: [], quiet: false };
    expect((await parse("new")).invocation.flags).toEqual({ ...empty, timeout: undefined });
  });

  test("takes global flags anywhere before `--`", async () => {
    expect((await parse("--json", "ls")).global.json).toBe(true);
    expect((await parse("ls", "--json", "--host", "local")).global).toMatchObject({ json: true, host: "local" });
    expect(asksForJson(["stop", "--", "--json"])).toBe(false);
    expect(asksForJson(["nonsense", "--json"])).toBe(true);
  });

  test("leaves the words of a started program alone", async () => {
    expect((await parse("run", "--name", "x", "vim", "-R", "--json", "--", "f")).invocation.words).toEqual([
      "vim",
      "-R",
      "--json",
      "--",
      "f",
    ]);
    expect((await parse("run", "--", "--odd")).invocation.words).toEqual(["--odd"]);
    expect((await parse("stop", "--", "-x")).invocation.words).toEqual(["-x"]);
  });

  test("keeps a metadata key that is a name of the prototype", async () => {
    const { meta } = (await parse("new", "--meta", "__proto__=1")).invocation.flags as { meta: object };
    expect(Object.entries(meta)).toEqual([["__proto__", "1"]]);
  });

  test.each([
    [["nwe"], 'there is no command "nwe"', "did you mean: pohunek new"],
    [["frobnicate"], 'there is no command "frobnicate"', "pohunek help"],
    [["session"], "session needs a second word: new, list", "pohunek help session"],
    [["session", "nope"], 'there is no command "session nope": new, list', "pohunek help session"],
    [["stop"], "stop needs <session>", "pohunek help stop"],
    [["stop", "a", "b"], 'stop does not take "b"', "pohunek help stop"],
    [["new", "--nmae", "x"], "there is no flag --nmae for session new", "did you mean: --name"],
    [["new", "--name"], "--name needs a value (NAME)", "pohunek help session new"],
    [["new", "--quiet=1"], "--quiet takes no value", "pohunek help session new"],
    [["new", "--cols", "0"], "--cols must be a whole number from 1 to 500", "pohunek help"],
    [["new", "--cols", "1e2"], "--cols must be a whole number from 1 to 500", "pohunek help"],
    [["new", "--meta", "novalue"], "--meta must be KEY=VALUE", "pohunek help"],
    [["new", "--timeout", "soon"], "--timeout must be a time such as 500ms, 30s, 5m or 1h", "pohunek help"],
    [["new", "-f", "c"], "--filter must be one of: a, b", "pohunek help session new"],
    [["ls", "-z"], "there is no flag -z for session list", "pohunek help session list"],
    [["run", "--json", "x"], "run works on the terminal itself and has no JSON form", "pohunek help run"],
  ])("%p is refused with the reason and the next step", async (words, message, recover) => {
    const refusal = await parse(...words).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: "cli_usage", message, recover });
  });
});
