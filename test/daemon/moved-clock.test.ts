import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SessionFacts } from "../support/index.ts";
import { startHost, TempRoots, until } from "../support/index.ts";

const CLOCK = join(import.meta.dir, "../fixtures/moved-clock.ts");
const DAY_MS = 86_400_000;
/** How long a session.wait for something that never comes takes, and how early a timer may fire. */
const [WAIT_MS, EARLY_MS] = [400, 20];

test("a wall clock that jumps while the daemon and its workers run disturbs no session, wait, attach or restart", async () => {
  const roots = new TempRoots();
  const clock = join(roots.base, "r", "clock");
  writeFileSync(clock, "0");
  await using host = await startHost({ roots, wrap: [process.execPath, CLOCK] });
  const session = await host.newSession();
  await using attached = await host.attach(session.id);
  attached.write("echo first-$((1+1))\r");
  await attached.until("first-2");

  const move = async (days: number, name: string): Promise<SessionFacts> => {
    writeFileSync(clock, String(days * DAY_MS));
    [host.daemonPid, host.workerPid(session.id)].forEach((pid) => process.kill(pid, "SIGUSR2"));
    const params = { session_id: session.id, name };
    return (await host.call<{ session: SessionFacts }>("session.rename", params)).session;
  };
  const wholeSession = async (word: string): Promise<void> => {
    attached.write(`echo ${word}-$((2+3))\r`);
    await attached.until(`${word}-5`);
    await using other = await host.attach(session.id, { input: `echo other-${word}-$((3+3))\r` });
    await other.until(`other-${word}-6`);
    const { stream_id: granted } = await host.call<{ stream_id: string }>("session.attach", { session_id: session.id });
    expect(await host.call<{ detached: boolean }>("session.detach", { stream_id: granted })).toBeDefined();
    await host.call("session.input", { session_id: session.id, text: `echo input-${word}-$((4+4))\r` });
    await attached.until(`input-${word}-8`);
    const { updated_at } = await host.inspect(session.id);
    const startedAt = performance.now();
    const wait = { session_id: session.id, states: ["failed"], timeout_ms: WAIT_MS };
    expect(await host.call<unknown>("session.wait", wait)).toMatchObject({ reason: "timeout" });
    const tookMs = performance.now() - startedAt;
    expect(tookMs).toBeGreaterThanOrEqual(WAIT_MS - EARLY_MS);
    expect(tookMs).toBeLessThan(WAIT_MS * 10);
    expect(Date.parse((await host.inspect(session.id)).updated_at)).toBeGreaterThanOrEqual(Date.parse(updated_at));
  };

  const forward = await move(10, "in ten days");
  expect(Date.parse(forward.updated_at)).toBeGreaterThan(Date.now() + 9 * DAY_MS);
  await wholeSession("later");
  const back = await move(-10, "ten days ago");
  // What was last stays last.
  expect(Date.parse(back.updated_at)).toBeGreaterThan(Date.parse(forward.updated_at));
  await wholeSession("earlier");

  // A program that ends, a stop and a daemon that comes back, all of it before what was written down last.
  const ending = await host.newSession({ command: ["/bin/sh", "-c", "exit 5"] });
  expect(await host.waitForState(ending.id, "failed")).toMatchObject({ exit_code: 5 });
  expect(Date.parse(ending.updated_at)).toBeLessThan(Date.now() - 9 * DAY_MS);
  await host.kill();
  await host.start();
  expect(await host.inspect(session.id)).toMatchObject({ pid: session.pid, runtime: { state: "live" } });
  expect(await host.inspect(ending.id)).toMatchObject({ state: "failed", exit_code: 5 });
  attached.write("echo after-$((5+5))\r");
  await attached.until("after-10");
  expect(await host.call<unknown>("session.stop", session.id)).toEqual({ stopped: true });
  await until("the log to tell the stop", () =>
    host.log().some(({ ts }) => Date.parse(String(ts)) < Date.now() - 9 * DAY_MS),
  );
}, 60_000);
