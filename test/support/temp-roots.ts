import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SmallDisk } from "./small-disk.ts";

/** The folders of one test host, below one short path of its own, and the environment that leads there. */
export class TempRoots implements Disposable {
  /** Short: the socket of a worker must fit below it. */
  readonly base: string;
  readonly #disks: SmallDisk[] = [];

  constructor() {
    this.base = mkdtempSync(join(tmpdir(), "h"));
    for (const name of ["home", "c", "d", "s", "r"]) {
      mkdirSync(join(this.base, name), { mode: 0o700 });
    }
  }

  get home(): string {
    return join(this.base, "home");
  }

  get config(): string {
    return join(this.base, "c", "pohunek");
  }

  get data(): string {
    return join(this.base, "d", "pohunek");
  }

  get state(): string {
    return join(this.base, "s", "pohunek");
  }

  get runtime(): string {
    return join(this.base, "r", "pohunek");
  }

  get socket(): string {
    return join(this.runtime, "daemon.sock");
  }

  get daemonLog(): string {
    return join(this.state, "logs", "pohunekd.jsonl");
  }

  environment(more: Readonly<Record<string, string>> = {}): Record<string, string> {
    return {
      PATH: process.env["PATH"] ?? "",
      HOME: this.home,
      SHELL: "/bin/bash",
      LANG: "C.UTF-8",
      XDG_CONFIG_HOME: join(this.base, "c"),
      XDG_DATA_HOME: join(this.base, "d"),
      XDG_STATE_HOME: join(this.base, "s"),
      XDG_RUNTIME_DIR: join(this.base, "r"),
      ...more,
    };
  }

  writeConfig(toml: string): void {
    mkdirSync(this.config, { recursive: true, mode: 0o700 });
    writeFileSync(join(this.config, "config.toml"), toml);
  }

  /** Puts a small file system of its own under one of the folders. */
  smallDisk(folder: string, options: { kib: number }): SmallDisk {
    const disk = new SmallDisk(folder, options);
    this.#disks.push(disk);
    return disk;
  }

  [Symbol.dispose](): void {
    this.#disks.forEach((disk) => disk[Symbol.dispose]());
    // A test may have taken its rights away to see what happens.
    chmodSync(this.base, 0o700);
    rmSync(this.base, { recursive: true, force: true });
  }
}
