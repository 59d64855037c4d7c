import { closeSync, constants, openSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { runCommand } from "../targets/command.ts";
import type { SoakedHost } from "./soaked-host.ts";
import { startOnce } from "./soaked-session.ts";

const SESSIONS = 30;
const ENDED_MS = 15_000;
/** The stop comes at another moment of the end of all sessions in each round. */
const SHIFT = { rounds: 16, ms: 8 };

/** Stops the daemon, so many times, while thirty sessions end at once; true when all were recorded as they ended. */
export async function stopUnderLoad(host: SoakedHost, rounds: number): Promise<boolean> {
  let faults = 0;
  for (let round = 0; round < rounds; round++) {
    // They read from a pipe that nobody writes to, and go on at once when it is closed; one that is late finds it gone.
    const gate = join(host.host.roots.home, `gate-${round}`);
    runCommand(["mkfifo", gate], {});
    const closed = openSync(gate, constants.O_RDWR);
    const starting = Array.from({ length: SESSIONS }, async (_, index) =>
      startOnce(host, `r${round}-${index}`, ["/bin/sh", "-c", `read x <${gate}; exit ${index % 7}`]),
    );
    const sessions = await Promise.all(starting);
    unlinkSync(gate);
    closeSync(closed);
    await Bun.sleep((round % SHIFT.rounds) * SHIFT.ms);
    await host.replaceDaemon("stop", 0);
    for (const [index, { id }] of sessions.entries()) {
      const ended = await host.retry(
        async (client) => await client.waitForState(id, ["done", "failed", "stopped"], { timeoutMs: ENDED_MS }),
      );
      if (ended.exit_code === index % 7 && ended.state === (index % 7 === 0 ? "done" : "failed")) continue;
      faults++;
      console.log(`FAULT round ${round}: ${id} ended with ${index % 7}, and is ${ended.state}, ${ended.exit_code}`);
    }
    const listed = await host.call("session.list", null);
    if (listed.length !== SESSIONS) faults++;
    await Promise.all(listed.map(async ({ id }) => await host.call("session.remove", id)));
  }
  console.log(`${rounds} stops with ${SESSIONS} sessions each, ${faults} not recorded as they ended`);
  return faults === 0;
}
