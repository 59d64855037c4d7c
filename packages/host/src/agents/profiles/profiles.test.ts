import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { isProtocolError } from "@pohunek/protocol/wire";
import { Profiles } from "./profiles.ts";

const SECRET = "s3cr3t-sentinel";
let base = "";

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "pprof-"));
  mkdirSync(join(base, "agents"), { mode: 0o700 });
  mkdirSync(join(base, "manifests"), { mode: 0o700 });
  writeFileSync(join(base, "manifests", "faulty.toml"), `schema = 1\n${SECRET} = 1\n`, { mode: 0o600 });
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

function profiles(): Profiles {
  const uid = process.getuid?.() ?? 0;
  return new Profiles({ folder: join(base, "agents"), manifestFolder: join(base, "manifests"), uid });
}

function write(name: string, text: string, mode = 0o600): string {
  const path = join(base, "agents", name);
  writeFileSync(path, text, { mode });
  chmodSync(path, mode);
  return path;
}

function refusal(name: string): string {
  try {
    profiles().find(name);
  } catch (cause) {
    if (isProtocolError(cause, "invalid_profile")) return cause.message;
    throw cause;
  }
  return "accepted";
}

const DIGEST = `sha256:${"0123456789abcdef".repeat(4)}`;

describe("a profile", () => {
  test("says what to run, and keeps its values to itself", () => {
    write(
      "work.toml",
      `agent_base = "agent"
package = "example.runtime"
digest = "${DIGEST}"
program = "/opt/agent"
args = ["--model", "big"]
manifest = "mine"
[env]
AGENT_HOME = "/home/${SECRET}"
EMPTY = ""
[input]
submit_delay_ms = 300
[resume]
reference_kind = "id"
args = ["--resume", "{reference}"]
fork_args = ["--fork", "{reference}"]
`,
    );
    writeFileSync(join(base, "manifests", "mine.toml"), "schema = 1\n", { mode: 0o600 });
    const file = profiles().find("work");
    expect(file?.profile).toMatchObject({
      name: "work",
      base: "agent",
      program: "/opt/agent",
      args: ["--model", "big"],
      manifest: "mine",
      input: { submitDelayMs: 300 },
      resume: {
        isResumable: true,
        kind: "id",
        args: ["--resume", "{reference}"],
        forkArgs: ["--fork", "{reference}"],
      },
      pin: { packageId: "example.runtime", digest: DIGEST },
    });
    expect(file?.manifestText).toBe("schema = 1\n");
    expect(file?.profile.environment.reveal()).toEqual({ AGENT_HOME: `/home/${SECRET}`, EMPTY: "" });
    expect(JSON.stringify(file) + inspect(file, { depth: 9, showHidden: true })).not.toContain(SECRET);
    expect(profiles().names).toEqual(["work"]);
    expect(profiles().pins).toEqual([{ packageId: "example.runtime", digest: DIGEST }]);
  });

  test("need say nothing at all", () => {
    write("plain.toml", "");
    expect(profiles().find("plain")?.profile).toMatchObject({ args: [], input: {} });
    expect(profiles().find("absent")).toBeUndefined();
    expect(profiles().find("../agents/plain")).toBeUndefined();
  });

  test("that can't be read binds no package", () => {
    write("a.toml", `package = "x"\ndigest = "${DIGEST}"\nbad = 1\n`);
    write("b.toml", `package = "x"\ndigest = "${DIGEST}"\n`, 0o666);
    expect(profiles().pins).toEqual([]);
  });
});

test.each([
  ["agent_base", `agent_base = "Not An Id"`],
  ["agent_base", `agent_base = "../x"`],
  ["program", `program = "bin/agent"`],
  ["program", `program = "--flag"`],
  ["args", `args = "--model"`],
  ["args", `args = ["\\u001b[2J"]`],
  ["env.TOKEN", `[env]\nTOKEN = 5`],
  ["env.POHUNEK_SESSION_ID", `[env]\nPOHUNEK_SESSION_ID = "x"`],
  ["env", `[env]\n"NOT A NAME" = "x"`],
  ["env.TOKEN", `[env]\nTOKEN = "${"x".repeat(32_769)}"`],
  ["input.submit_delay_ms", `[input]\nsubmit_delay_ms = -1`],
  ["manifest", `manifest = "../other"`],
  ["manifest", `manifest = "absent"`],
  ["manifest", `manifest = "faulty"`],
  ["digest", `package = "example.runtime"`],
  ["package", `digest = "${DIGEST}"`],
  ["digest", `package = "x"\ndigest = "sha256:short"`],
  ["resume.reference_kind", `[resume]\nargs = ["{reference}"]`],
  ["resume.reference_kind", `[resume]\nreference_kind = "name"\nargs = ["{reference}"]`],
  ["resume.args", `[resume]\nreference_kind = "id"`],
  ["resume.args", `[resume]\nreference_kind = "id"\nargs = []`],
  ["resume.args", `[resume]\nreference_kind = "id"\nargs = ["--resume"]`],
  ["resume.args", `[resume]\nreference_kind = "id"\nargs = ["{reference}", "{reference}"]`],
  ["resume.args", `[resume]\nreference_kind = "id"\nargs = ["--resume={reference}"]`],
  ["resume.args", `[resume]\nreference_kind = "id"\nargs = ["{reference}", "{home}"]`],
  ["resume.args", `[resume]\nreference_kind = "id"\nargs = ["{reference}", ""]`],
  ["resume.args", `[resume]\nreference_kind = "id"\nargs = ["{reference}", "\\n"]`],
  ["resume.args", `[resume]\nreference_kind = "id"\nfork_args = ["{reference}"]`],
  ["resume.resumable", `[resume]\nresumable = true`],
  ["resume.args", `[resume]\nresumable = false\nargs = ["{reference}"]`],
  ["surprise", `surprise = 1`],
  ["line 2", `[env]\nTOKEN = ${SECRET}`],
  ["line 2", `[env]\nTOKEN = "${SECRET}`],
  ["line 3", `[env]\nA = "x"\nA = "${SECRET}"`],
])("a fault is told by its field: %s", (field, text) => {
  write("faulty.toml", text);
  const told = refusal("faulty");
  expect(told).toStartWith('profile "faulty": ');
  expect(told).toContain(field);
  expect(told).not.toContain(SECRET);
});

test("a manifest that can't be used is told without what is in it", () => {
  const [faulty, ...more] = profiles().faultyManifests;
  expect(more).toEqual([]);
  expect(faulty?.name).toBe("faulty");
  expect(faulty?.fault).not.toContain(SECRET);
});

test("binding a profile to a package writes two lines and nothing else, whole or not at all", () => {
  const text = `# mine\nagent_base = "agent"\n[env]\nTOKEN = "${SECRET}"\n`;
  const path = write("work.toml", text, 0o640);
  const file = profiles().find("work");
  if (file === undefined) throw new Error("the profile is there");
  const synced: string[] = [];
  profiles().bind(file, { packageId: "example.runtime", digest: DIGEST }, (folder) => synced.push(folder));
  expect(readFileSync(path, "utf8")).toBe(`package = "example.runtime"\ndigest = "${DIGEST}"\n${text}`);
  expect(statSync(path).mode & 0o777).toBe(0o640);
  expect(synced).toEqual([join(base, "agents")]);
  // What a crash between the two steps leaves.
  writeFileSync(join(base, "agents", ".work.0123456789abcdef"), "half");
  expect(profiles().names).toEqual(["work"]);
  rmSync(path);
  mkdirSync(path);
  mkdirSync(join(path, "in the way"));
  const pin = { packageId: "example.runtime", digest: DIGEST };
  expect(() => profiles().bind(file, pin, () => undefined)).toThrow("can't be written");
  expect(readdirSync(join(base, "agents")).sort()).toEqual([".work.0123456789abcdef", "work.toml"]);
});

describe("a file that is not the owner's alone is not taken", () => {
  test.each([
    ["is a link", () => symlinkSync("/etc/hostname", join(base, "agents", "p.toml"))],
    ["can be changed by other users", () => write("p.toml", "", 0o620)],
    ["is not a plain file", () => mkdirSync(join(base, "agents", "p.toml"))],
    ["has more than 65536 bytes", () => write("p.toml", "#".repeat(65_537))],
    [
      "is not UTF-8",
      () => writeFileSync(join(base, "agents", "p.toml"), new Uint8Array([0x23, 0xff]), { mode: 0o600 }),
    ],
    [
      "lies in a folder that can be changed by other users",
      () => {
        write("p.toml", "");
        chmodSync(join(base, "agents"), 0o777);
      },
    ],
  ] as const)("%s", (reason, make) => {
    make();
    expect(refusal("p")).toBe(`profile "p": its file ${reason}`);
    expect(refusal("p")).not.toContain(base);
  });

  test("one whose name is no name is told, not left out", () => {
    write("My Agent.toml", "");
    expect(refusal("My Agent")).toContain("its name must be");
  });
});
