import { describe, expect, test } from "bun:test";
import { isProtocolError } from "@pohunek/protocol/wire";
import { parseDescriptor } from "./descriptor.ts";

const FULL = `
schema = 1

[package]
id = "example.runtime.demo"
version = "1.2.3"

[runtime]
id = "demo"
display_name = "Demo"
proven_with = "4.5.6"
preference = 10
process_names = ["demo", "demo-bin"]

[launch]
program = "demo"
args = ["--plain"]
env = { DEMO_MODE = "1" }
assign_args = ["--session-id", "{reference}"]
prompt_argument = true

[version_probe]
parser = "semver-line-v1"
args = ["--version"]
template = "demo {version}"
min = "1.0.0"
below = "2.0.0"

[config_home]
variable = "DEMO_HOME"
default = ".demo"

[native_reference]
kind = "id"
strategy = "assigned"
store = { directory = "projects", name = "{reference}.jsonl" }

[resume]
args = ["--resume", "{reference}"]
fork_args = ["--resume", "{reference}", "--fork", "--session-id", "{new_reference}"]

[input]
bracketed_paste = true
submit_delay_ms = 200
text_policy = "unrestricted"
ready = "bracketed_paste"
startup_grace_ms = 1500
clear_line = { keys = "\\u0015", repeat = 64 }
mid_turn = "queued"
restores_interrupted = true
interrupt_keys = "\\u001b\\u001b"
interrupt_gap_ms = 300

[stop]
signal_group = true
grace_ms = 3000

[transcripts]
root = "projects"
parser = "demo-v1"

[hooks]
handler = "demo"
schema = "named_for_provider"

[channel]
kind = "sse"
port_args = ["--port", "{port}"]
path = "/event"
events = { "session.idle" = "idle" }
`;

const MINIMAL = `
schema = 1
[package]
id = "example.runtime.demo"
version = "0.0.1"
[runtime]
id = "demo"
display_name = "Demo"
process_names = ["demo"]
[launch]
program = "demo"
[input]
text_policy = "unrestricted"
ready = "screen_idle"
mid_turn = "steering"
`;

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const parse = (text: string) => parseDescriptor({ descriptor: bytes(text), detection: bytes("schema = 1\n") });

/** `code: message` of the refusal. */
function refusal(text: string): string {
  try {
    parse(text);
  } catch (cause) {
    if (isProtocolError(cause)) return `${cause.code}: ${cause.message}`;
    throw cause;
  }
  return "accepted";
}

/** The full description with one line replaced, which must be there. */
function altered(line: string, by: string): string {
  if (!FULL.includes(line)) throw new Error(`no such line: ${line}`);
  return FULL.replace(line, by);
}

describe("a description", () => {
  test("that says everything is read whole", () => {
    const { packageId, packageVersion, runtime } = parse(FULL);
    expect([packageId, packageVersion]).toEqual(["example.runtime.demo", "1.2.3"]);
    expect(runtime).toEqual({
      id: "demo",
      displayName: "Demo",
      provenWith: "4.5.6",
      preference: 10,
      processNames: ["demo", "demo-bin"],
      launch: {
        program: "demo",
        args: ["--plain"],
        env: { DEMO_MODE: "1" },
        assignArgs: ["--session-id", "{reference}"],
        promptArgument: true,
      },
      versionProbe: {
        parser: "semver-line-v1",
        args: ["--version"],
        template: "demo {version}",
        min: "1.0.0",
        below: "2.0.0",
      },
      configHome: { variable: "DEMO_HOME", default: ".demo" },
      nativeReference: {
        kind: "id",
        strategy: "assigned",
        openFile: undefined,
        exitText: undefined,
        store: { directory: "projects", name: "{reference}.jsonl" },
      },
      resumeArgs: ["--resume", "{reference}"],
      forkArgs: ["--resume", "{reference}", "--fork", "--session-id", "{new_reference}"],
      input: {
        bracketedPaste: true,
        submitDelayMs: 200,
        submitDelayConfigurable: false,
        textPolicy: "unrestricted",
        ready: "bracketed_paste",
        startupGraceMs: 1500,
        clearLine: { keys: "\u0015", repeat: 64 },
        midTurn: "queued",
        restoresInterrupted: true,
        interruptKeys: "\u001b\u001b",
        interruptGapMs: 300,
      },
      stop: { signalGroup: true, graceMs: 3000 },
      transcripts: { root: "projects", parser: "demo-v1" },
      hooks: { handler: "demo", schema: "named_for_provider" },
      channel: { kind: "sse", portArgs: ["--port", "{port}"], path: "/event", events: { "session.idle": "idle" } },
      detection: { rules: [] },
    });
  });

  test("that says only what it must gets the defaults", () => {
    const { runtime } = parse(MINIMAL);
    expect(runtime).toMatchObject({
      preference: 0,
      launch: { args: [], env: {}, promptArgument: false },
      stop: { signalGroup: true },
      input: { bracketedPaste: true, submitDelayMs: 0, startupGraceMs: 0, interruptKeys: "\u001b" },
    });
    expect([runtime.resumeArgs, runtime.forkArgs, runtime.versionProbe, runtime.hooks]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe("refused, with the field's name:", () => {
  const cases: readonly (readonly [what: string, text: string, message: string])[] = [
    ["no TOML", "schema = = 1", "runtime.toml is not valid TOML"],
    ["another table", `${FULL}\n[plugin]\ncode = "x"\n`, "plugin is not a known field"],
    ["an unknown field", altered('program = "demo"', 'program = "demo"\nscript = "x"'), "launch.script is not a known"],
    [
      "an odd field name",
      altered('program = "demo"', 'program = "demo"\n"a\\u001b" = "x"'),
      "launch has an unknown field",
    ],
    ["a missing table", altered("[input]", "[inputs]"), "input is missing"],
    ["an id with dots in a row", altered('id = "demo"', 'id = "de..mo"'), "runtime.id must be lower-case"],
    ["an id in capitals", altered('id = "example.runtime.demo"', 'id = "Example"'), "package.id must be lower-case"],
    [
      "a version with a tag",
      altered('version = "1.2.3"', 'version = "1.2.3-rc1"'),
      "package.version must be a release",
    ],
    [
      "a program with a path",
      altered('program = "demo"', 'program = "/bin/demo"'),
      "launch.program must be a bare file name",
    ],
    ["a program called ..", altered('program = "demo"', 'program = ".."'), "launch.program must be a bare file name"],
    [
      "an argument with a control",
      altered('["--plain"]', '["a\\u001b"]'),
      "launch.args may not hold control characters",
    ],
    ["an empty argument", altered('["--plain"]', '[""]'), "launch.args must have 1 to"],
    ["a list of a number", altered('["--plain"]', "[1]"), "launch.args must be a string"],
    ["braces in plain arguments", altered('["--plain"]', '["{reference}"]'), "launch.args holds braces"],
    ["our variables", altered("DEMO_MODE", "POHUNEK_SESSION_ID"), "launch.env has a key that is not allowed"],
    ["the path", altered("DEMO_MODE", "PATH"), "launch.env has a key that is not allowed"],
    ["the loader", altered("DEMO_MODE", "LD_PRELOAD"), "launch.env has a key that is not allowed"],
    [
      "two references",
      altered('args = ["--resume", "{reference}"]', 'args = ["{reference}", "{reference}"]'),
      "resume.args must hold {reference} exactly once",
    ],
    [
      "no reference",
      altered('args = ["--resume", "{reference}"]', 'args = ["--last"]'),
      "resume.args must hold {reference} exactly once",
    ],
    [
      "an embedded reference",
      altered('args = ["--resume", "{reference}"]', 'args = ["--resume={reference}"]'),
      "resume.args holds braces",
    ],
    [
      "a new reference in resume",
      altered('args = ["--resume", "{reference}"]', 'args = ["{reference}", "{new_reference}"]'),
      "resume.args holds braces",
    ],
    [
      "an assigned reference that nobody takes",
      altered('strategy = "assigned"', 'strategy = "reported"'),
      "launch.assign_args goes with",
    ],
    [
      "an open file that is not named",
      altered('strategy = "assigned"', 'strategy = "open_file"').replace(/assign_args.*/, ""),
      "native_reference.open_file is missing",
    ],
    [
      "an unknown strategy",
      altered('strategy = "assigned"', 'strategy = "guessed"'),
      "native_reference.strategy must be one of",
    ],
    [
      "a way out of the config home",
      altered('directory = "projects"', 'directory = "../x"'),
      "native_reference.store.directory must be a path below",
    ],
    [
      "a store name without reference",
      altered('"{reference}.jsonl"', '"*.jsonl"'),
      "native_reference.store.name must hold {reference}",
    ],
    ["a range upside down", altered('below = "2.0.0"', 'below = "0.9.0"'), "version_probe.below must be above min"],
    [
      "a template without a version",
      altered('"demo {version}"', '"demo"'),
      "version_probe.template must hold {version}",
    ],
    [
      "a template where none is read",
      altered('"semver-line-v1"', '"semver-v1"'),
      "version_probe.template is needed for",
    ],
    [
      "a delay of a minute",
      altered("submit_delay_ms = 200", "submit_delay_ms = 60000"),
      "input.submit_delay_ms must be a whole number",
    ],
    [
      "a delay of a fraction",
      altered("submit_delay_ms = 200", "submit_delay_ms = 0.5"),
      "input.submit_delay_ms must be a whole number",
    ],
    [
      "a flag that is a string",
      altered("bracketed_paste = true", 'bracketed_paste = "yes"'),
      "input.bracketed_paste must be true or false",
    ],
    ["a date", altered('display_name = "Demo"', "display_name = 2026-01-01"), "runtime.display_name must be a string"],
    ["a port in a word", altered('"{port}"]', '"--port={port}"]'), "channel.port_args holds braces"],
    [
      "a value where a table belongs",
      altered("[stop]\nsignal_group = true\ngrace_ms = 3000", "").replace("[package]", "stop = 1\n[package]"),
      "stop must be a table",
    ],
  ];
  test.each(cases)("%s", (_what, text, message) => {
    expect(refusal(text)).toContain(`package_descriptor_invalid: ${message}`);
  });

  test("a format of another release, before anything else is looked at", () => {
    expect(refusal('schema = 2\nnew = "x"')).toContain("package_incompatible");
    expect(refusal(MINIMAL.replace("schema = 1", ""))).toContain("package_incompatible");
  });

  test("a manifest of screen rules that is none", () => {
    const detection = bytes("schema = 1\n[[rule]]\nid = 1\n");
    expect(() => parseDescriptor({ descriptor: bytes(FULL), detection })).toThrow(/^detection.toml: rule 1 has no id/);
  });

  test("what is too long or no text", () => {
    expect(refusal(`${FULL}#${"x".repeat(65_536)}`)).toContain("runtime.toml has more than 65536 bytes");
    const descriptor = new Uint8Array([...bytes(FULL), 0xff]);
    expect(() => parseDescriptor({ descriptor, detection: bytes("") })).toThrow("runtime.toml is not UTF-8");
    const detection = new Uint8Array(262_145);
    expect(() => parseDescriptor({ descriptor: bytes(FULL), detection })).toThrow("detection.toml has more than");
  });

  test("never with what the file holds", () => {
    const secret = "hunter2-hunter2-hunter2";
    const fields = [...FULL.matchAll(/^(\w+) = "[^"]*"$/gm)].map(([line]) => line);
    expect(fields.length).toBeGreaterThan(15);
    for (const line of fields) {
      const [name] = line.split(" = ");
      const told = [
        refusal(altered(line, `${name} = "\\u0007${secret}"`)),
        refusal(altered(line, `${name} = ${secret}`)),
      ];
      expect(told.filter((message) => message.includes(secret))).toEqual([]);
      expect(told).not.toContain("accepted");
    }
  });
});
