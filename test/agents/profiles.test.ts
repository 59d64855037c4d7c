import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Host } from "../support/index.ts";
import { startHost, TempRoots, until, writeProfile } from "../support/index.ts";

const SECRET = "sentinel-4711";

/** A program on the PATH that writes down how it was called, and then reads its terminal. */
function writeProgram(roots: TempRoots, name: string, body = "cat"): string {
  const bin = join(roots.base, "bin");
  mkdirSync(bin, { recursive: true });
  const path = join(bin, name);
  const report = join(roots.base, `${name}.report`);
  const script = `#!/bin/sh\n{ printf '%s\\n' "$0" "$PWD" "$@"; env; } >${report}.new\nmv ${report}.new ${report}\n${body}\n`;
  writeFileSync(path, script, { mode: 0o755 });
  return report;
}

function environmentWithBin(roots: TempRoots): Record<string, string> {
  return { PATH: `${join(roots.base, "bin")}:${process.env["PATH"] ?? ""}` };
}

async function reportOf(path: string): Promise<string> {
  return await until("the program to report", () => existsSync(path) && readFileSync(path, "utf8"));
}

function* filesBelow(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesBelow(path);
    else if (entry.isFile()) yield path;
  }
}

/** Files of the host that hold the text; those that the test wrote are not looked at. */
function filesWith(host: Host, text: string): string[] {
  const { state, data, runtime } = host.roots;
  return [state, data, runtime].flatMap((folder) =>
    [...filesBelow(folder)].filter((path) => readFileSync(path, "latin1").includes(text)),
  );
}

test("a profile's program runs with its arguments and variables, which are found nowhere else", async () => {
  const roots = new TempRoots();
  const report = writeProgram(roots, "my-tool");
  writeProfile(
    roots,
    "mine",
    `program = "my-tool"\nargs = ["--one", "two words; $HOME"]\n[env]\nTOKEN = "${SECRET}"\nPLACE = "/p"\n`,
  );
  await using host = await startHost({ roots, env: environmentWithBin(roots) });
  const session = await host.newSession({ agent: "mine", command: undefined });
  expect(session).toMatchObject({
    agent: "mine",
    agent_base: "shell",
    capabilities: { resume: false, fork: false },
  });
  const lines = (await reportOf(report)).split("\n");
  expect(lines.slice(0, 4)).toEqual([join(roots.base, "bin", "my-tool"), roots.home, "--one", "two words; $HOME"]);
  const wanted = [`TOKEN=${SECRET}`, "PLACE=/p", `POHUNEK_SESSION_ID=${session.id}`, "TERM=xterm-256color"];
  expect(wanted.filter((line) => !lines.includes(line))).toEqual([]);
  const told = [
    await host.call("host.inspect"),
    await host.call("daemon.doctor"),
    await host.list(),
    await host.inspect(session.id),
  ];
  expect(JSON.stringify(told)).not.toContain(SECRET);
  await host.restart();
  expect(await host.inspect(session.id)).toMatchObject({ agent: "mine", agent_base: "shell" });
  await host.call("session.stop", session.id);
  await host.call("session.remove", session.id);
  expect(filesWith(host, SECRET)).toEqual([]);
});

test("a program that can't be started leaves no session, and no value of its profile anywhere", async () => {
  const roots = new TempRoots();
  const bin = join(roots.base, "bin");
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, "broken-tool"), "#!/no/such/interpreter\n", { mode: 0o755 });
  writeProfile(roots, "mine", `program = "broken-tool"\n[env]\nTOKEN = "${SECRET}"\n`);
  writeProfile(roots, "faulty", `[env]\nTOKEN = "${SECRET}"\nOTHER = ${SECRET}\n`);
  await using host = await startHost({ roots, config: '[log]\nlevel = "debug"\n', env: environmentWithBin(roots) });
  await using client = await host.connect();
  const size = { cols: 80, rows: 24 };
  const told = [
    await client.ask("session.new", { agent: "mine", ...size }),
    await client.ask("session.new", { agent: "faulty", ...size }),
    await client.ask("session.resume", "s-none"),
    await client.ask("package.bind_profile", { profile: "faulty", dry_run: false }),
  ];
  expect(told.map(({ err }) => err?.code)).toEqual([
    "spawn_failed",
    "invalid_profile",
    "session_not_found",
    "invalid_profile",
  ]);
  expect(JSON.stringify(told)).not.toContain(SECRET);
  expect(await host.list()).toEqual([]);
  expect(filesWith(host, SECRET)).toEqual([]);
});
