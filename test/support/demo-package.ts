import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { digestOf, packFolder } from "@pohunek/host/make-packages";
import type { TempRoots } from "./temp-roots.ts";

interface DemoOptions {
  readonly id?: string;
  readonly version?: string;
  /** The runtime that it provides, and the program that it runs. */
  readonly runtime?: string;
  /** Further lines of runtime.toml. */
  readonly more?: string;
  /** Arguments of the program, as TOML. */
  readonly args?: string;
}

interface DemoPackage {
  readonly folder: string;
  readonly archive: string;
  readonly digest: string;
}

/** A package of a third party: its folder, its archive and the archive's digest. */
export async function makeDemoPackage(roots: TempRoots, options: DemoOptions = {}): Promise<DemoPackage> {
  const { id = "example.demo", version = "1.0.0", runtime = "demo", args = "[]", more = "" } = options;
  const folder = join(roots.base, `${id}-${version}`);
  mkdirSync(folder, { recursive: true });
  const descriptor = `schema = 1
[package]
id = "${id}"
version = "${version}"
[runtime]
id = "${runtime}"
display_name = "Demo"
process_names = ["demo"]
[launch]
program = "demo"
args = ${args}
[input]
text_policy = "unrestricted"
ready = "screen_idle"
mid_turn = "queued"
${more}`;
  writeFileSync(join(folder, "runtime.toml"), descriptor);
  const bytes = await packFolder(folder);
  const archive = `${folder}.tar.zst`;
  writeFileSync(archive, bytes);
  return { folder, archive, digest: digestOf(bytes) };
}

/** Puts a program called `demo` in front of the PATH that this returns: it prints its arguments and reads its terminal. */
export function writeDemoProgram(roots: TempRoots): Record<string, string> {
  const bin = join(roots.base, "bin");
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, "demo"), '#!/bin/sh\nprintf "demo runs: %s\\n" "$*"\nexec cat\n', { mode: 0o755 });
  return { PATH: `${bin}:${process.env["PATH"] ?? ""}` };
}
