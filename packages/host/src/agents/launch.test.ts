import { describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DaemonId, SessionId } from "@pohunek/protocol/wire";
import { isProtocolError } from "@pohunek/protocol/wire";
import { childEnvironment } from "./child-environment.ts";
import { chooseUserShell, commandLaunch } from "./launch.ts";
import { resolveWorkingDirectory } from "./working-directory.ts";

function codeOf(action: () => unknown): string {
  try {
    action();
  } catch (cause) {
    if (isProtocolError(cause)) {
      return `${cause.code}: ${cause.message}`;
    }
    throw cause;
  }
  return "accepted";
}

describe("what is launched", () => {
  test("the login shell when no command is given", () => {
    const launch = commandLaunch([], "/bin/bash");
    expect(launch).toEqual({ kind: "shell", argv: ["/bin/bash", "-l"], program: "bash" });
    expect(commandLaunch([], "/opt/odd-shell").argv).toEqual(["/opt/odd-shell"]);
  });

  test("a command keeps only its base name as a fact", () => {
    const launch = commandLaunch(["/usr/bin/make", "-j"], "/bin/bash");
    expect(launch.argv).toEqual(["/usr/bin/make", "-j"]);
    expect(launch.program).toBe("make");
    expect(launch.kind).toBe("command");
  });

  test("a shell at a prompt is told from one that runs something", () => {
    const kindOf = (...command: string[]) => commandLaunch(command, "/bin/bash").kind;
    expect([kindOf("zsh"), kindOf("/bin/bash", "--norc", "-i"), kindOf("sh", "-l")]).toEqual([
      "shell",
      "shell",
      "shell",
    ]);
    expect([
      kindOf("sh", "-c", "make"),
      kindOf("bash", "-lc", "make"),
      kindOf("sh", "script.sh"),
      kindOf("vim"),
    ]).toEqual(["command", "command", "command", "command"]);
  });

  test("the first usable shell counts", () => {
    expect(chooseUserShell([undefined, "bash", "/no/such/shell", "/bin/sh"])).toBe("/bin/sh");
    expect(chooseUserShell([])).toBe("/bin/sh");
  });
});

describe("the environment of a session", () => {
  const base = {
    daemonEnv: {
      PATH: "/bin",
      HOME: "/h",
      LC_TIME: "C",
      XDG_DATA_HOME: "/d",
      NOTIFY_SOCKET: "/n",
      SECRET: "s",
      TERM: "dumb",
      POHUNEK_SESSION_ID: "s-outer",
    },
    forward: [],
    shell: "/bin/bash",
    sessionId: "s-1" as SessionId,
    daemonId: "d-1" as DaemonId,
    hookTracePath: "/state/hooks.jsonl",
    publicSocketPath: "/r/daemon.sock",
  };

  test("is an allowlist with the session's markers", () => {
    expect(childEnvironment(base)).toEqual({
      PATH: "/bin",
      HOME: "/h",
      LC_TIME: "C",
      XDG_DATA_HOME: "/d",
      SHELL: "/bin/bash",
      TERM: "xterm-256color",
      POHUNEK_ENV: "1",
      POHUNEK_SESSION_ID: "s-1",
      POHUNEK_SOCKET_PATH: "/r/daemon.sock",
      POHUNEK_PROTOCOL_VERSION: "4",
      POHUNEK_DAEMON_ID: "d-1",
      POHUNEK_HOOK_TRACE_PATH: "/state/hooks.jsonl",
      POHUNEK_HOOK_TRACE_MAX_BYTES: "262144",
    });
  });

  test("takes what the owner forwards, and always has a PATH", () => {
    const env = childEnvironment({ ...base, daemonEnv: { SECRET: "s" }, forward: ["SECRET", "MISSING"] });
    expect(env["SECRET"]).toBe("s");
    expect(env["PATH"]).toContain("/usr/bin");
    expect(env).not.toHaveProperty("MISSING");
  });
});

describe("the folder to start in", () => {
  test("is expanded, checked and named when it is wrong", () => {
    const home = mkdtempSync(join(tmpdir(), "pcwd-"));
    const context = { home, hostName: "alpha" };
    try {
      mkdirSync(join(home, "with space\nand line"));
      writeFileSync(join(home, "file"), "");
      expect(resolveWorkingDirectory(undefined, context)).toBe(home);
      expect(resolveWorkingDirectory("~/with space\nand line", context)).toBe(join(home, "with space\nand line"));
      expect(resolveWorkingDirectory(`${home}/./`, context).replace(/\/$/, "")).toBe(home);
      for (const [path, reason] of [
        ["~/gone", "does not exist"],
        ["~/file", "is not a folder"],
        ["~/file/x", "does not exist"],
        ["relative", "not an absolute path"],
        ["~other/x", "not an absolute path"],
        ["", "not an absolute path"],
        ["/a\0b", "NUL"],
      ] as const) {
        const refusal = codeOf(() => resolveWorkingDirectory(path, context));
        expect(refusal).toStartWith("session_cwd_invalid: ");
        expect(refusal).toContain(reason);
        expect(refusal).toContain("alpha");
      }
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  });
});
