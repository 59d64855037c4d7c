import { expect, test } from "bun:test";
import { readSettings } from "./config.ts";

test("a daemon that is started from inside a session gets nothing of that session, and all settings", () => {
  const env = {
    HOME: "/home/me",
    POHUNEK_SESSION_ID: "s-1",
    POHUNEK_DAEMON_ID: "d-1",
    POHUNEK_WORKER_ID: "k-1",
    POHUNEK_WORKER_SOCKET_PATH: "/run/w",
    POHUNEK_LAUNCHER: "./pohunek",
    POHUNEK_WORKER_LAUNCHER: "subprocess",
  };
  expect(readSettings(env, "/").daemonEnvironment()).toEqual({
    HOME: "/home/me",
    POHUNEK_WORKER_LAUNCHER: "subprocess",
  });
});
