import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A file system of its own below a folder, of few bytes, which can be filled, emptied and made read-only. Needs root. */
export class SmallDisk implements Disposable {
  readonly #folder: string;

  constructor(folder: string, options: { kib: number }) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#folder = folder;
    run("mount", "-t", "tmpfs", "-o", `size=${options.kib}k,mode=700`, "tmpfs", folder);
  }

  get #ballast(): string {
    return join(this.#folder, "ballast");
  }

  /** Takes every byte that is left. */
  fill(): void {
    for (let size = 65_536; size >= 1; size = Math.floor(size / 2)) {
      for (;;) {
        try {
          writeFileSync(this.#ballast, new Uint8Array(size), { flag: "a" });
        } catch {
          // ENOSPC: a smaller piece may still fit.
          break;
        }
      }
    }
  }

  /** Gives the bytes back. */
  empty(): void {
    rmSync(this.#ballast, { force: true });
  }

  setReadOnly(isReadOnly: boolean): void {
    run("mount", "-o", `remount,${isReadOnly ? "ro" : "rw"}`, this.#folder);
  }

  [Symbol.dispose](): void {
    run("umount", "-l", this.#folder);
  }
}

function run(...command: string[]): void {
  const { exitCode, stderr } = Bun.spawnSync(command);
  if (exitCode !== 0) {
    throw new Error(`${command.join(" ")}: ${stderr.toString()}`);
  }
}
