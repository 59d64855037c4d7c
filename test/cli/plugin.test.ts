import { describe, expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeDemoPackage, startHost, TempRoots, writeDemoProgram } from "../support/index.ts";
import { CliTerminal, runCli, runJson } from "./support/index.ts";

interface Info {
  readonly digest: string;
  readonly package: { readonly id: string; readonly version: string };
  readonly enabled: boolean;
  readonly selected: boolean;
}

async function demoState(roots: TempRoots): Promise<string[]> {
  const { ok } = await runJson<{ packages: Info[] }>(roots, ["plugin", "list"]);
  return ok.packages
    .filter(({ package: { id } }) => id === "example.demo")
    .map(
      ({ package: { version }, enabled, selected }) =>
        `${version}${enabled ? " on" : ""}${selected ? " selected" : ""}`,
    );
}

describe("plugin", () => {
  test("install shows what a package runs and asks; without a person it needs --yes", async () => {
    const roots = new TempRoots();
    await using _host = await startHost({ roots });
    const { archive, digest } = await makeDemoPackage(roots, { args: '["--fast"]' });
    const words = ["plugin", "install", archive, "--sha256", digest.slice(7)];
    const asked = await runCli(roots, words);
    expect(asked.stderr).toMatch(/^runs +demo --fast$/m);
    expect([asked.code, asked.stderr.includes("confirmation_required")]).toEqual([1, true]);
    expect((await runJson(roots, words)).err.code).toBe("confirmation_required");
    expect(await demoState(roots)).toEqual([]);
    const preview = await runCli(roots, [...words, "--dry-run"]);
    expect(preview.stdout).toContain("example.demo 1.0.0: would be installed");
    expect(await runCli(roots, [...words, "--yes"])).toEqual({
      code: 0,
      stdout: "example.demo 1.0.0: installed\n",
      stderr: "",
    });
    expect((await runCli(roots, [...words, "-y"])).stdout).toBe("example.demo 1.0.0: installed already\n");
    expect(await demoState(roots)).toEqual(["1.0.0 on selected"]);
  });

  test("install asks a person at a terminal", async () => {
    const roots = new TempRoots();
    await using _host = await startHost({ roots });
    const { archive, digest } = await makeDemoPackage(roots);
    for (const [answer, states] of [
      ["n", []],
      ["y", ["1.0.0 on selected"]],
    ] as const) {
      await using terminal = new CliTerminal(roots, ["plugin", "install", archive, "--sha256", digest]);
      await terminal.untilOutput("Install it? [y/N]");
      terminal.type(`${answer}\r`);
      expect(await terminal.exited).toBe(answer === "y" ? 0 : 1);
      expect(await demoState(roots)).toEqual([...states]);
    }
  });

  test("install wants to know why it should trust an archive", async () => {
    const roots = new TempRoots();
    await using _host = await startHost({ roots });
    const { archive, digest } = await makeDemoPackage(roots);
    const codeOf = async (...words: string[]): Promise<string> =>
      (await runJson(roots, ["plugin", "install", ...words])).err.code;
    expect(await codeOf(archive)).toBe("cli_usage");
    expect(await codeOf(archive, "--sha256", "abc")).toBe("cli_usage");
    expect(await codeOf("nobody")).toBe("cli_usage");
    expect(await codeOf(archive, "--sha256", "0".repeat(64), "--yes")).toBe("package_untrusted");
    expect(await codeOf(archive, "--sha256", digest, "--catalog", "x")).toBe("cli_usage");
    const none = join(roots.base, "catalog.json");
    expect(await codeOf(archive, "--catalog", none, "--yes")).toBe("package_source_unreadable");
    writeFileSync(none, "{}");
    expect(await codeOf(archive, "--catalog", none, "--yes")).toBe("package_untrusted");
  });

  test("a folder is linked switched off, enabled, changed and linked again", async () => {
    const roots = new TempRoots();
    await using host = await startHost({ roots, env: writeDemoProgram(roots) });
    const { folder } = await makeDemoPackage(roots);
    const linked = await runCli(roots, ["plugin", "link", folder]);
    expect(linked.stdout).toBe("example.demo 1.0.0: installed; it is switched off (pohunek plugin enable)\n");
    expect(await demoState(roots)).toEqual(["1.0.0"]);
    expect((await runCli(roots, ["plugin", "enable", "demo"])).stdout).toBe("example.demo 1.0.0: on\n");
    expect((await host.newSession({ agent: "demo", command: undefined })).state).toBe("running");
    const path = join(folder, "runtime.toml");
    writeFileSync(path, readFileSync(path, "utf8").replace('version = "1.0.0"', 'version = "1.0.1"'));
    await runCli(roots, ["plugin", "link", folder]);
    expect(await demoState(roots)).toEqual(["1.0.0 on selected", "1.0.1"]);
    await runCli(roots, ["plugin", "enable", "demo@1.0.1"]);
    expect((await runCli(roots, ["plugin", "select", "example.demo@1.0.1"])).stdout).toBe("example.demo 1.0.1: on\n");
    expect(await demoState(roots)).toEqual(["1.0.0 on", "1.0.1 on selected"]);
    const used = await runJson(roots, ["plugin", "uninstall", "demo@1.0.0"]);
    expect(used.err.code).toBe("package_referenced");
    expect((await runCli(roots, ["plugin", "uninstall", "demo@1.0.1"])).stdout).toBe("removed example.demo 1.0.1\n");
    writeFileSync(path, "schema = 1\nwrong");
    expect((await runJson(roots, ["plugin", "link", folder, "--dry-run"])).err.code).toBe("package_descriptor_invalid");
  });

  test("an official package is taken away and comes back by its name alone; update has nothing to add", async () => {
    const roots = new TempRoots();
    await using host = await startHost({ roots });
    const { ok } = await runJson<{ packages: (Info & { runtime_id: string })[] }>(roots, ["plugin", "list"]);
    const name = ok.packages[0]?.runtime_id ?? "";
    expect((await runCli(roots, ["plugin", "update"])).stdout).toBe("everything is up to date\n");
    expect((await runCli(roots, ["plugin", "uninstall", name])).code).toBe(0);
    await host.restart();
    const gone = await runJson(roots, ["plugin", "inspect", name]);
    expect(gone.err.code).toBe("package_not_installed");
    expect((await runCli(roots, ["plugin", "update"])).stdout).toBe("everything is up to date\n");
    const refused = await runJson(roots, ["new", "--agent", name]);
    expect(refused.err).toMatchObject({ recover: `pohunek plugin install ${name}` });
    const back = await runCli(roots, ["plugin", "install", name, "--yes"]);
    expect([back.code, back.stdout]).toEqual([
      0,
      `pohunek.runtime.${name} ${ok.packages[0]?.package.version}: installed\n`,
    ]);
    const details = await runCli(roots, ["plugin", "inspect", name]);
    expect(details.stdout).toMatch(/from +official\nstate +on\n/);
  });

  test("doctor ends with 1 when files were changed, and says what helps", async () => {
    const roots = new TempRoots();
    await using _host = await startHost({ roots });
    const { archive, digest } = await makeDemoPackage(roots);
    await runCli(roots, ["plugin", "install", archive, "--sha256", digest, "--yes"]);
    expect(await runCli(roots, ["plugin", "doctor"])).toEqual({
      code: 0,
      stdout: "all packages are sound\n",
      stderr: "",
    });
    writeFileSync(join(roots.data, "packages", digest.slice(7), "files/more"), "");
    const { code, stdout } = await runCli(roots, ["plugin", "doctor"]);
    expect([code, stdout]).toEqual([
      1,
      `example.demo@1.0.0: root modified\n  next: pohunek plugin install ARCHIVE --sha256 ${digest.slice(7)}\n`,
    ]);
    expect((await runCli(roots, ["plugin", "list"])).stdout).toMatch(
      /example\.demo +1\.0\.0 +demo +root modified +digest/,
    );
    const restored = await runCli(roots, ["plugin", "install", archive, "--sha256", digest, "--yes"]);
    expect(restored.stdout).toContain("restored");
    expect((await runCli(roots, ["plugin", "doctor", "example.demo"])).code).toBe(0);
  });

  test("profile migrate binds a profile to what serves its base now, and keeps the rest of the file", async () => {
    const roots = new TempRoots();
    await using host = await startHost({ roots, env: writeDemoProgram(roots) });
    const { archive, digest } = await makeDemoPackage(roots);
    await runCli(roots, ["plugin", "install", archive, "--sha256", digest, "--yes"]);
    const path = join(roots.config, "agents/mine.toml");
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const text = '# mine\nagent_base = "demo"\n[env]\nTOKEN = "x"\n';
    writeFileSync(path, text, { mode: 0o600 });
    const migrate = async (...more: string[]): Promise<string> =>
      (await runCli(roots, ["plugin", "profile", "migrate", "mine", ...more])).stdout;
    expect(await host.refusal("session.new", { agent: "mine", cols: 80, rows: 24 })).toBe("invalid_profile");
    expect(await migrate("--dry-run")).toBe("mine would be bound to example.demo 1.0.0\n");
    expect(readFileSync(path, "utf8")).toBe(text);
    expect(await migrate()).toBe("mine is now bound to example.demo 1.0.0\n");
    expect(await migrate()).toBe("mine is bound already to example.demo 1.0.0\n");
    expect(readFileSync(path, "utf8")).toBe(`package = "example.demo"\ndigest = "${digest}"\n${text}`);
    expect((await host.newSession({ agent: "mine", command: undefined })).state).toBe("running");
    expect((await runJson(roots, ["plugin", "uninstall", "demo"])).err.code).toBe("package_referenced");
    expect((await runCli(roots, ["plugin", "inspect", "demo"])).stdout).toContain("yes: sessions or profiles");
  });

  test("is refused for another host before anything is asked", async () => {
    using roots = new TempRoots();
    for (const words of [["list"], ["doctor"], ["update"], ["uninstall", "x"]]) {
      const { code, err } = await runJson(roots, ["--host", "elsewhere", "plugin", ...words]);
      expect([code, err.code]).toEqual([1, "plugin_local_only"]);
    }
  });
});
