import { expect, test } from "bun:test";
import { MANIFEST_LIMITS } from "./manifest.ts";
import { ManifestError, parseManifest } from "./parse-manifest.ts";

const HEAD = "schema = 1\n";

function rules(count: number, body = 'state = "idle"\ncontains = "x"'): string {
  return HEAD + Array.from({ length: count }, (_, index) => `[[rule]]\nid = "r${index}"\n${body}\n`).join("");
}

function refusal(source: string): string {
  try {
    parseManifest(source);
  } catch (cause) {
    expect(cause).toBeInstanceOf(ManifestError);
    return (cause as Error).message;
  }
  throw new Error("was taken");
}

test("an empty manifest is valid and detects nothing", () => {
  expect(parseManifest("")).toEqual({ rules: [] });
  expect(parseManifest("# nothing\n")).toEqual({ rules: [] });
});

test("reads rules, and ranks title and progress before the screen, then by priority", () => {
  const manifest = parseManifest(`${HEAD}
    [composer]
    regex = '^> '
    [[rule]]
    id = "low"
    state = "idle"
    region = "composer"
    regex = "."
    [[rule]]
    id = "high"
    state = "blocked"
    detail = "approval"
    priority = 9
    region = "tail"
    lines = 4
    contains = "Do you want"
    all = [{ regex = '^ 1\\.' }, { not = { region = "composer", regex = '.' } }]
    choose = "number"
    [rule.capture]
    question = '(?<question>Do you want [^?]*\\?)'
    [[rule]]
    id = "spinner"
    state = "working"
    region = "title"
    regex = '^[\\u2800-\\u28ff]'
  `);
  expect(manifest.rules.map(({ id }) => id)).toEqual(["spinner", "high", "low"]);
  expect(manifest.composer?.within).toBe(12);
  const [, high] = manifest.rules;
  expect(high).toMatchObject({ detail: "approval", choose: "number", region: "tail", gate: { kind: "all" } });
  expect(high?.capture?.place).toEqual({ region: "tail", lines: 4 });
});

test("keeps its limits", () => {
  expect(parseManifest(rules(MANIFEST_LIMITS.rules)).rules.length).toBe(128);
  expect(refusal(rules(MANIFEST_LIMITS.rules + 1))).toContain("128 rules");
  const gates = (count: number): string => `any = [${'{ contains = "x" },'.repeat(count)}]`;
  expect(parseManifest(rules(1, `state = "idle"\n${gates(511)}`)).rules.length).toBe(1);
  expect(refusal(rules(1, `state = "idle"\n${gates(512)}`))).toContain("512 gates");
  const matchers =
    'state = "idle"\nany = [{ contains = "x", regex = "x" }, { contains = "x", regex = "x" }, { contains = "x", regex = "x" }]\ncontains = "y"\nregex = "y"';
  expect(parseManifest(rules(128, matchers)).rules.length).toBe(128);
  expect(refusal(rules(128, `${matchers}\n[rule.capture]\nuntil = "x"`))).toContain("1024 matchers");
  const deep = (depth: number): string => `${"not = { ".repeat(depth)}contains = "x"${" }".repeat(depth)}`;
  expect(parseManifest(rules(1, `state = "idle"\n${deep(7)}`)).rules.length).toBe(1);
  expect(refusal(rules(1, `state = "idle"\n${deep(8)}`))).toContain("8 deep");
  expect(parseManifest(rules(1, `state = "idle"\ncontains = "${"x".repeat(4096)}"`)).rules.length).toBe(1);
  expect(refusal(rules(1, `state = "idle"\ncontains = "${"x".repeat(4097)}"`))).toContain("4096 bytes");
  expect(parseManifest(`# ${"x".repeat(MANIFEST_LIMITS.sourceBytes - 2)}`).rules).toEqual([]);
  expect(refusal(`# ${"x".repeat(MANIFEST_LIMITS.sourceBytes - 1)}`)).toContain("262144 bytes");
});

const RULE = '[[rule]]\nid = "a"\nstate = "idle"\ncontains = "secret"\n';

test.each([
  ["[[rule]\n", "TOML"],
  [RULE, "schema"],
  ["schema = 2\n", "schema"],
  [`${HEAD}other = 1\n`, "known"],
  [`${HEAD}${RULE}speed = 3\n`, "known"],
  [`${HEAD}${RULE}${RULE}`, "same id"],
  [`${HEAD}${RULE.replace('"a"', '"A b"')}`, "id"],
  [`${HEAD}${RULE.replace("idle", "sleeping")}`, "state"],
  [`${HEAD}${RULE}region = "left"\n`, "region"],
  [`${HEAD}${RULE}lines = 0\n`, "lines"],
  [`${HEAD}${RULE}detail = "stuck"\n`, "detail"],
  [`${HEAD}${RULE}regex = '(?=x)'\n`, "look-around"],
  [`${HEAD}[[rule]]\nid = "a"\nstate = "idle"\n`, "condition"],
  [`${HEAD}${RULE}any = []\n`, "empty"],
  [`${HEAD}${RULE}any = [{ contains = "x", state = "idle" }]\n`, "known"],
])("refuses %#", (source, message) => {
  const said = refusal(source);
  expect(said).toContain(message);
  expect(said).not.toContain("secret");
});
