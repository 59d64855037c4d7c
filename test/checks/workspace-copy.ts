import { cpSync, mkdirSync, mkdtempSync, readdirSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "../..");

/**
 * Copies the tracked and new files to a temp folder and returns it. The installed packages are linked in, while the
 * workspace's own packages point into the copy.
 */
export function copyWorkspace(): string {
  const copy = mkdtempSync(join(tmpdir(), "copy-"));
  const list = Bun.spawnSync(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], { cwd: ROOT });
  for (const path of list.stdout.toString().split("\0").filter(Boolean)) {
    cpSync(join(ROOT, path), join(copy, path), { recursive: true });
  }
  mkdirSync(join(copy, "node_modules/@pohunek"), { recursive: true });
  for (const name of readdirSync(join(ROOT, "node_modules"))) {
    if (name === "@pohunek" || name === ".cache") continue;
    symlinkSync(join(ROOT, "node_modules", name), join(copy, "node_modules", name));
  }
  for (const name of readdirSync(join(copy, "packages"))) {
    symlinkSync(join("../../packages", name), join(copy, "node_modules/@pohunek", name));
  }
  return copy;
}
