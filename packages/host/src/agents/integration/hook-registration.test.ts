import { describe, expect, test } from "bun:test";
import type { HookHandler } from "./hook-handler.ts";
import { commandOf, isBare, stateOf, withHooks, withoutHooks } from "./hook-registration.ts";

const demo: HookHandler = {
  id: "demo",
  processNames: ["demo"],
  events: { Begin: () => [], End: () => [] },
  settings: {
    configHome: { variable: "DEMO_HOME", default: ".demo" },
    file: "settings.json",
    timeout: 5,
    isHooksOnly: false,
  },
};
const program = ["/opt/it's/pohunek"];

const FORMS = [
  "{}\n",
  '{\n  "model": "x",\n  "b": [1, 2]\n}\n',
  '{\n\t"hooks": {\n\t\t"Begin": [\n\t\t\t{ "matcher": "x", "hooks": [{ "type": "command", "command": "mine" }] }\n\t\t]\n\t},\n\t"z": 1\n}',
  '{"a":1,"hooks":{"Other":[{"hooks":[{"type":"command","command":"mine"}]}]},"b":{"c":[]}}',
  '{\n    // why\n    "a": 1, /* and */\n    "hooks": {\n        "End": [{"hooks": []}],\n    },\n}\n',
];

describe("hooks in settings", () => {
  test.each(FORMS)("are put in and taken out without another byte: %#", (before) => {
    const after = withHooks(before, demo, program);
    expect(stateOf(before, demo, program)).toBe("not_installed");
    expect(stateOf(after, demo, program)).toBe("current");
    expect(withHooks(after, demo, program)).toBe(after);
    expect(withoutHooks(after, demo).replace(/^\{\s*\}/, "{}")).toBe(before);
  });

  test("look as the file does around them", () => {
    expect(withHooks('{\n    "a": 1\n}\n', demo, ["/p"])).toBe(`{
    "a": 1,
    "hooks": {
        "Begin": [
            {
                "hooks": [
                    {
                        "type": "command",
                        "command": "${commandOf(["/p"], "demo", "Begin").replaceAll('"', '\\"')}",
                        "timeout": 5
                    }
                ]
            }
        ],
        "End": [
            {
                "hooks": [
                    {
                        "type": "command",
                        "command": "${commandOf(["/p"], "demo", "End").replaceAll('"', '\\"')}",
                        "timeout": 5
                    }
                ]
            }
        ]
    }
}
`);
  });

  test("of another place or release, doubled or moved ones are outdated, and are replaced by one of each", () => {
    const mine = withHooks("{}", demo, program);
    const old = withHooks("{}", demo, ["/old/pohunek"]);
    const doubled = JSON.parse(mine) as { hooks: Record<string, unknown[]> };
    doubled.hooks["Begin"]?.push(...(doubled.hooks["Begin"] ?? []));
    const mixed = JSON.parse(mine) as { hooks: Record<string, { hooks: object[] }[]> };
    mixed.hooks["Begin"]?.[0]?.hooks.unshift({ type: "command", command: "mine" });
    mixed.hooks["Gone"] = mixed.hooks["End"] ?? [];
    for (const text of [old, JSON.stringify(doubled), JSON.stringify(mixed)]) {
      expect(stateOf(text, demo, program)).toBe("outdated");
      expect(stateOf(withHooks(text, demo, program), demo, program)).toBe("current");
    }
    expect(JSON.parse(withoutHooks(JSON.stringify(mixed), demo))).toEqual({
      hooks: { Begin: [{ hooks: [{ type: "command", command: "mine" }] }] },
    });
    expect(isBare(withoutHooks(old, demo))).toBe(true);
  });

  test("of another handler, and commands that only look like ours, are left alone", () => {
    const other = withHooks("{}", { ...demo, id: "demo2" }, program);
    expect(stateOf(other, demo, program)).toBe("not_installed");
    expect(withoutHooks(other, demo)).toBe(other);
  });

  test.each([
    "",
    "[]",
    "{",
    '{"a":1}x',
    '{"hooks":[]}',
    '{"hooks":{"Begin":{}}}',
    "[".repeat(1000),
    '{"a" 1}',
    "{1:2}",
    '{"hooks":{},"hooks":{}}',
    '{"hooks":{"End":[],"End":[]}}',
  ])("in a file that is no settings are refused: %p", (text) => {
    const code: unknown = expect.objectContaining({ code: "integration_settings_invalid" });
    expect(() => withHooks(text, demo, program)).toThrow(code);
    expect(() => withoutHooks(text, demo)).toThrow(code);
  });
});

test("the command is quiet outside of sessions and never fails", async () => {
  const missing = commandOf(["/nowhere/it's"], "demo", "Begin");
  const run = async (env: Record<string, string>) => {
    const child = Bun.spawn(["/bin/sh", "-c", missing], { env, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
    const [code, error] = await Promise.all([child.exited, new Response(child.stderr).text()]);
    return { code, isQuiet: error === "" };
  };
  expect(await run({})).toEqual({ code: 0, isQuiet: true });
  expect(await run({ POHUNEK_SESSION_ID: "s" })).toEqual({ code: 0, isQuiet: false });
});
