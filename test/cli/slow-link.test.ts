import { expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { Relay, startHost, until } from "../support/index.ts";
import { CliTerminal } from "./support/index.ts";

/** 200 ms there and back, 256 kbit/s. */
const SPEED = { delayMs: 100, bytesPerSecond: 32_000 };
const ROUND_TRIP_MS = 2 * SPEED.delayMs;
/** A deep history of full lines, then a full screen. */
const FILLS = `stty -echo; seq -f '%079.0f' 5000; seq -f 'row %075.0f' 23; stty echo; printf 'READY '; exec cat`;

test("over a slow link the screen comes first, and what is typed is echoed after one round trip", async () => {
  await using host = await startHost();
  const runtime = join(host.roots.base, "n");
  mkdirSync(join(runtime, "pohunek"), { recursive: true, mode: 0o700 });
  const socket = join(runtime, "pohunek", "daemon.sock");
  await using _relay = await Relay.start(socket, { target: host.roots.socket, speed: SPEED });
  const session = await host.newSession({ name: "far", command: ["/bin/sh", "-c", FILLS] });
  await until("the screen", async () => {
    const { visible_lines } = await host.call<{ visible_lines: string[] }>("session.screen", {
      session_id: session.id,
    });
    return visible_lines.at(-1)?.startsWith("READY") === true;
  });
  const startedMs = performance.now();
  await using terminal = new CliTerminal(host.roots, ["attach", "far"], { env: { XDG_RUNTIME_DIR: runtime } });
  await terminal.untilOutput("READY");
  expect(performance.now() - startedMs).toBeLessThan(1_500);
  // History too, as much as such a line carries in time.
  await terminal.untilScreen("READY");
  expect((await terminal.scrollback()).filter((line) => /^0+\d+$/.test(line)).length).toBeGreaterThan(50);
  for (const key of ["a", "b", "c"]) {
    const typedMs = performance.now();
    terminal.type(key);
    await terminal.untilScreen(new RegExp(`READY .*${key}$`, "m"));
    expect(performance.now() - typedMs).toBeLessThan(2 * ROUND_TRIP_MS);
  }
}, 30_000);
