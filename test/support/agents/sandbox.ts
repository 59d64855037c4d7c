/** The words before a command that put it where nothing is but loopback, a home and a project: bubblewrap, where it works. */

import { realpathSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";

export interface SandboxFolders {
  /** Folder of this sandbox, seen inside under the same path. */
  readonly base: string;
  /** Seen inside as /home/dev. */
  readonly home: string;
  /** Seen inside as /tmp/proj. */
  readonly project: string;
  /** The installed agents. */
  readonly cache: string;
}

const CHECKOUT = join(import.meta.dir, "..", "..", "..");
export const HOME_INSIDE = "/home/dev";
export const PROJECT_INSIDE = "/tmp/proj";

function bubblewrap(): string | undefined {
  const program = Bun.which("bwrap");
  if (program === null) return undefined;
  // It may be installed and forbidden: user namespaces can be switched off.
  const isolation = ["--unshare-user", "--unshare-net", "--proc", "/proc"];
  const tried = Bun.spawnSync([program, "--ro-bind", "/", "/", ...isolation, "true"], { stderr: "ignore" });
  return tried.exitCode === 0 ? program : undefined;
}

/** Undefined where there is no bubblewrap: then the command runs as it is, in the folders outside. */
export function sandboxWords({ base, home, project, cache }: SandboxFolders): string[] | undefined {
  const program = bubblewrap();
  if (program === undefined) return undefined;
  const hidden = [...new Set(["/tmp", "/home", "/root", homedir(), tmpdir()])];
  const kept = [
    ...new Set([
      realpathSync(CHECKOUT),
      realpathSync(join(CHECKOUT, "node_modules", "bun")),
      cache,
      dirname(process.execPath),
    ]),
  ];
  const words = [
    [program, "--ro-bind", "/", "/", "--dev", "/dev"],
    ...hidden.map((folder) => ["--tmpfs", folder]),
    ...kept.map((folder) => ["--ro-bind", folder, folder]),
    ["--bind", base, base, "--bind", home, HOME_INSIDE, "--bind", project, PROJECT_INSIDE],
    ["--unshare-user", "--uid", "1000", "--gid", "1000"],
    // Processes stay visible: the kernel tells the daemon no pid of a caller from another pid namespace.
    ["--unshare-net", "--unshare-ipc", "--unshare-uts", "--hostname", "devbox", "--proc", "/proc"],
    ["--new-session", "--die-with-parent", "--chdir", PROJECT_INSIDE, "--"],
  ];
  return words.flat();
}
