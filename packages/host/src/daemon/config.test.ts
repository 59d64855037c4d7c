import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isProtocolError } from "@pohunek/protocol/wire";
import { loadConfig } from "./config.ts";
import { renderSettings, SETTINGS } from "./settings.ts";

let dir: string;
let path: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "pconf-"));
  path = join(dir, "config.toml");
});

afterEach(() => {
  rmSync(dir, { recursive: true, force: true });
});

function refusal(toml: string, env: Record<string, string> = {}): { code: string; message: string } {
  writeFileSync(path, toml);
  try {
    loadConfig(path, env);
  } catch (cause) {
    if (isProtocolError(cause)) {
      return { code: cause.code, message: cause.message };
    }
    throw cause;
  }
  throw new Error("the configuration was accepted");
}

test("without a file every setting has its default", () => {
  const { settings, overlays } = loadConfig(path, {});
  expect(settings.outputRingBytes).toBe(10_000_000);
  expect(settings.workerLauncher).toBe("detached");
  expect(settings.environmentForward).toEqual([]);
  expect(overlays).toEqual([]);
});

test("file values count, and a variable wins over the file", () => {
  writeFileSync(
    path,
    '[worker]\nlauncher = "detached"\nstop_grace_ms = 40\n[remote]\nport = 2000\n[overlay.mesh]\naddress = "100.64.0.7"\n',
  );
  const { settings, overlays } = loadConfig(path, {
    POHUNEK_WORKER_LAUNCHER: "subprocess",
    POHUNEK_REMOTE_PORT: "3000",
  });
  expect(settings.workerLauncher).toBe("subprocess");
  expect(settings.workerStopGraceMs).toBe(40);
  expect(overlays).toEqual([{ id: "mesh", address: "100.64.0.7", port: 3000 }]);
});

test.each([
  ["[worker\n", "config_invalid", "TOML"],
  ["[worker]\nlaunchr = 1\n", "config_invalid", "worker.launchr"],
  ["wrong = 1\n", "config_invalid", "wrong"],
  ['[worker]\nlauncher = "magic"\n', "config_invalid", "worker.launcher"],
  ["[output]\nring_bytes = 268435457\n", "config_invalid", "output.ring_bytes"],
  ['[output]\nring_bytes = "10"\n', "config_invalid", "output.ring_bytes"],
  ['[environment]\nforward = ["A=B"]\n', "config_invalid", "environment.forward"],
  ["[observation]\nmax_waiters = 0\n", "observation_limits_invalid", "observation.max_waiters"],
  ["[observation]\nmax_waiters = 129\n", "observation_limits_invalid", "observation.max_waiters"],
  ["[observation]\nmax_waiters = 4\n", "observation_limits_invalid", "observation.max_waiters_per_session"],
  ['[overlay.mesh]\naddress = "10.0.0.1"\nport = 70000\n', "overlay_registry_invalid", "overlay.mesh.port"],
  ["[overlay.mesh]\nport = 1\n", "overlay_registry_invalid", "overlay.mesh.address"],
  ['[overlay.mesh]\naddress = "10.0.0.1"\nextra = 1\n', "overlay_registry_invalid", "overlay.mesh.extra"],
  ['[overlay.Mesh]\naddress = "10.0.0.1"\n', "overlay_registry_invalid", "overlay.Mesh"],
])("%j is refused", (toml, code, mention) => {
  const found = refusal(toml);
  expect(found.code).toBe(code);
  expect(found.message).toContain(mention);
  expect(found.message).toContain(path);
});

describe("an overlay never listens on a wildcard", () => {
  test.each([
    "0.0.0.0",
    "::",
    "0:0::0",
    "::ffff:0.0.0.0",
    "::ffff:0:0",
    "224.0.0.1",
    "255.255.255.255",
    "ff02::1",
    "localhost",
    "",
  ])("%j", (address) => {
    expect(refusal(`[overlay.mesh]\naddress = "${address}"\n`).code).toBe("overlay_registry_invalid");
  });

  test.each(["127.0.0.1", "100.64.0.1", "::1", "fd00::1", "::ffff:100.64.0.1"])("%s is an address", (address) => {
    writeFileSync(path, `[overlay.mesh]\naddress = "${address}"\n`);
    expect(loadConfig(path, {}).overlays[0]?.address).toBe(address);
  });
});

test("a wrong variable names the variable", () => {
  expect(refusal("", { POHUNEK_REMOTE_PORT: "12x" }).message).toContain("POHUNEK_REMOTE_PORT");
});

test("the printed table has a row for each setting", () => {
  const text = renderSettings();
  for (const setting of Object.values(SETTINGS)) {
    expect(text).toContain(`| \`${setting.key}\` |`);
  }
  expect(text).toContain("overlay.<id>.address");
});
