import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Host, SessionFacts } from "../support/index.ts";
import { environmentOf, isAlive, startHost, until } from "../support/index.ts";

interface Output {
  readonly next_offset: string;
  readonly runtime_end_offset: string;
  readonly data_base64: string;
  readonly gap?: unknown;
}

/** Prints a rising number, one a line, as fast as it may. */
const COUNTS = [
  "/bin/bash",
  "-c",
  "stty -onlcr; i=0; while :; do i=$((i+1)); echo $i; [ $((i%500)) = 0 ] && sleep 0.01; done",
];

/** Reads everything from an offset on, over daemons that come and go, and checks that no byte is missing or told twice. */
class Reader {
  readonly #host: Host;
  readonly #session: SessionFacts;
  text = "";
  offset = 0;

  constructor(host: Host, session: SessionFacts) {
    this.#host = host;
    this.#session = session;
  }

  async readOn(): Promise<void> {
    const { worker_instance_id, runtime_generation } = this.#session.runtime;
    const runtime = { worker_instance_id, runtime_generation };
    for (;;) {
      const params = { session_id: this.#session.id, runtime, after_offset: String(this.offset), max_bytes: 500_000 };
      const output = await this.#host.call<Output>("session.output", params);
      expect(output.gap).toBeUndefined();
      this.text += Buffer.from(output.data_base64, "base64").toString();
      this.offset = Number(output.next_offset);
      if (output.next_offset === output.runtime_end_offset || this.text.length > 4_000_000) {
        return;
      }
    }
  }

  check(): void {
    const numbers = this.text.trimEnd().split("\n").map(Number);
    numbers.pop();
    expect(numbers.length).toBeGreaterThan(100);
    expect(numbers.findIndex((number, index) => number !== index + 1)).toBe(-1);
  }
}

describe("a daemon that comes back", () => {
  test.each([["SIGTERM"], ["SIGKILL"]])(
    "after %s finds the same workers, programs and output",
    async (signal) => {
      await using host = await startHost();
      const session = await host.newSession({ command: COUNTS });
      const others = [await host.newSession({ name: "second" }), await host.newSession()];
      const reader = new Reader(host, session);
      await reader.readOn();
      const workers = host.workers();
      for (let round = 0; round < 3; round += 1) {
        await (signal === "SIGTERM" ? host.stop() : host.kill());
        await host.start();
        const listed = await host.list();
        expect(listed.map(({ id }) => id)).toEqual([session.id, ...others.map(({ id }) => id)]);
        for (const found of listed) {
          expect(found).toMatchObject({ state: "running", runtime: { state: "live", runtime_generation: "1" } });
        }
        const same = await host.inspect(session.id);
        expect([same.pid, same.runtime.worker_id, same.runtime.worker_instance_id]).toEqual([
          session.pid,
          session.runtime.worker_id,
          session.runtime.worker_instance_id,
        ]);
        expect(host.workers()).toEqual(workers);
        await reader.readOn();
      }
      reader.check();
      expect((await host.inspect(others[0]?.id ?? "")).name).toBe("second");
      await using attach = await host.attach(others[1]?.id ?? "", { input: "echo alive-$((20+1))\r" });
      await attach.until("alive-21");
      expect(await host.call<unknown>("session.stop", session.id)).toEqual({ stopped: true });
      expect(isAlive(session.pid)).toBe(false);
    },
    60_000,
  );

  test("tells how programs ended meanwhile", async () => {
    await using host = await startHost();
    const script = (code: number): string[] => [
      "/bin/sh",
      "-c",
      `while [ ! -e "$HOME/go" ]; do sleep 0.02; done; echo bye; exit ${code}`,
    ];
    const good = await host.newSession({ command: script(0) });
    const bad = await host.newSession({ command: script(7) });
    await host.kill();
    writeFileSync(join(host.roots.home, "go"), "");
    await until("the programs to end", () => !isAlive(good.pid) && !isAlive(bad.pid));
    await host.start();
    expect(await host.inspect(good.id)).toMatchObject({ state: "done", exit_code: 0, runtime: { state: "terminal" } });
    expect(await host.inspect(bad.id)).toMatchObject({ state: "failed", exit_code: 7, runtime: { state: "terminal" } });
    const output = await host.call<Output>("session.output", { session_id: good.id, max_bytes: 100 });
    expect(Buffer.from(output.data_base64, "base64").toString()).toContain("bye");
    await host.restart();
    expect(await host.inspect(bad.id)).toMatchObject({ state: "failed", exit_code: 7 });
  });

  test("tells sessions lost whose worker died meanwhile, after ending what was left of them", async () => {
    await using host = await startHost();
    const lost = await host.newSession({ command: ["/bin/sh", "-c", "setsid sleep 600 & sleep 600"] });
    const kept = await host.newSession();
    const leftovers = (): number[] =>
      readdirSync("/proc")
        .map(Number)
        .filter((pid) => pid > 0 && isAlive(pid) && environmentOf(pid).get("POHUNEK_SESSION_ID") === lost.id);
    await until("the sleeps", () => leftovers().length >= 2);
    const worker = host.workerPid(lost.id);
    await host.kill();
    process.kill(worker, "SIGKILL");
    await until("the worker's end", () => !isAlive(worker));
    await host.start();
    expect(await host.inspect(lost.id)).toMatchObject({
      state: "failed",
      runtime: { state: "lost", loss_reason: "worker_died" },
    });
    expect(leftovers()).toEqual([]);
    expect((await host.inspect(kept.id)).runtime.state).toBe("live");
    expect(await host.call<unknown>("session.stop", lost.id)).toEqual({ stopped: true });
    expect(await host.call<unknown>("session.remove", lost.id)).toEqual({ removed: true, stopped: false });
  });

  test("was not missed by who is attached, and serves the same terminal to who comes anew", async () => {
    await using host = await startHost();
    const { id } = await host.newSession();
    await using before = await host.attach(id, { input: "x=remembered\r" });
    await before.until("remembered");
    await host.kill();
    before.write("echo without-a-daemon-$x\r");
    await before.until("without-a-daemon-remembered");
    await host.start();
    before.write("echo with-another-$x\r");
    await before.until("with-another-remembered");
    await using events = await host.subscribe();
    await using after = await host.attach(id, { input: "echo still-$x\r" });
    await after.until("still-remembered");
    await events.event(({ event }) => event === "attach_opened");
  });
});

describe("a worker", () => {
  test("that is killed costs its own session only", async () => {
    await using host = await startHost();
    await using events = await host.subscribe();
    const [first, victim, third] = [
      await host.newSession(),
      await host.newSession({ command: ["/bin/sh", "-c", "(trap '' HUP; sleep 600) & sleep 600"] }),
      await host.newSession(),
    ];
    await using a = await host.attach(first.id);
    await using c = await host.attach(third.id);
    process.kill(host.workerPid(victim.id), "SIGKILL");
    const lost = await events.event(({ event }) => event === "session_runtime_lost");
    expect(lost["session"]).toMatchObject({ id: victim.id, state: "failed", runtime: { state: "lost" } });
    expect(isAlive(victim.pid)).toBe(false);
    a.write("echo a-$((1+1))\r");
    c.write("echo c-$((2+2))\r");
    await Promise.all([a.until("a-2"), c.until("c-4")]);
    expect(await host.inspect(victim.id)).toMatchObject({
      runtime: { worker_instance_id: victim.runtime.worker_instance_id },
    });
    expect(await host.refusal("session.attach", { session_id: victim.id })).toBe("session_not_running");
    expect(await host.refusal("session.screen", { session_id: victim.id })).toBe("session_not_running");
    expect(await host.call<unknown>("session.remove", victim.id)).toEqual({ removed: true, stopped: false });
  });

  test("that can't be reached for a while is reconnecting, and comes back by itself", async () => {
    await using host = await startHost();
    await using events = await host.subscribe();
    const session = await host.newSession();
    const worker = host.workerPid(session.id);
    const socket = join(host.roots.runtime, "workers", session.id, "control.sock");
    await host.kill();
    renameSync(socket, `${socket}.away`);
    await host.start();
    expect(await host.inspect(session.id)).toMatchObject({ state: "running", runtime: { state: "reconnecting" } });
    expect(await host.refusal("session.screen", { session_id: session.id })).toBe("session_runtime_reconnecting");
    expect(await host.refusal("session.attach", { session_id: session.id })).toBe("session_runtime_reconnecting");
    const { report } = await host.call<{ report: { overall: string } }>("daemon.doctor");
    expect(report.overall).toBe("warn");
    renameSync(`${socket}.away`, socket);
    expect(await host.waitForRuntime(session.id, "live")).toMatchObject({ pid: session.pid, state: "running" });
    expect(host.workerPid(session.id)).toBe(worker);
    void events;
  }, 30_000);

  test("that hangs does not hold up the start, the other sessions or the end", async () => {
    await using host = await startHost();
    const hung = await host.newSession();
    const fine = await host.newSession();
    await host.kill();
    const worker = host.workerPid(hung.id);
    process.kill(worker, "SIGSTOP");
    await host.start();
    expect((await host.inspect(hung.id)).runtime.state).toBe("reconnecting");
    expect((await host.inspect(fine.id)).runtime.state).toBe("live");
    process.kill(worker, "SIGCONT");
    await host.waitForRuntime(hung.id, "live");
    process.kill(worker, "SIGSTOP");
    const startedAt = performance.now();
    expect(await host.stop()).toBe(0);
    expect(performance.now() - startedAt).toBeLessThan(5000);
    process.kill(worker, "SIGCONT");
  }, 40_000);

  test("with a journal of another release is listed as incompatible, with a warning, and left alone", async () => {
    await using host = await startHost();
    const session = await host.newSession();
    const worker = host.workerPid(session.id);
    await host.kill();
    const folder = join(host.roots.state, "workers", session.id);
    const [file = ""] = readdirSync(folder);
    const journal = JSON.parse(readFileSync(join(folder, file), "utf8")) as object;
    writeFileSync(join(folder, file), JSON.stringify({ ...journal, schema: 99 }));
    await host.start();
    expect(isAlive(worker)).toBe(true);
    expect(isAlive(session.pid)).toBe(true);
    const { entries } = await host.call<{ entries: { status: string; claimed_session_id: string; reason: string }[] }>(
      "session.runtime_inventory",
    );
    expect(entries).toMatchObject([{ status: "incompatible", claimed_session_id: session.id }]);
    expect(await host.inspect(session.id)).toMatchObject({ state: "running", runtime: { state: "incompatible" } });
    expect(host.log().find(({ event }) => event === "worker_journal_unusable")).toMatchObject({
      level: "warn",
      schema: 99,
    });
  });

  test("without a session in the store is listed as an orphan, announced once, and left alone", async () => {
    await using host = await startHost();
    const session = await host.newSession();
    await host.stop();
    renameSync(join(host.roots.data, "store.sqlite3"), join(host.roots.data, "elsewhere"));
    await host.start();
    expect(await host.list()).toEqual([]);
    await using events = await host.subscribe();
    type Inventory = { entries: { status: string; worker_instance_id?: string; claimed_session_id?: string }[] };
    for (let round = 0; round < 2; round += 1) {
      const { entries } = await host.call<Inventory>("session.runtime_inventory");
      expect(entries).toMatchObject([
        { status: "orphaned", claimed_session_id: session.id, worker_instance_id: session.runtime.worker_instance_id },
      ]);
    }
    const told = await events.event(({ event }) => event === "session_runtime_discovered");
    expect(told["entry"]).toMatchObject({ status: "orphaned" });
    await host.call("session.list");
    const more = await events.event(() => true, 300).catch(() => undefined);
    expect(more).toBeUndefined();
    expect(isAlive(session.pid)).toBe(true);
    expect(existsSync(join(host.roots.runtime, "workers", session.id, "control.sock"))).toBe(true);
  });

  test("claimed twice is a conflict in which nobody is killed, and the session can't be stopped by mistake", async () => {
    await using host = await startHost();
    const session = await host.newSession();
    const stranger = await host.newSession();
    await host.kill();
    const folder = (id: string): string => join(host.roots.state, "workers", id);
    const [file = ""] = readdirSync(folder(stranger.id));
    const journal = JSON.parse(readFileSync(join(folder(stranger.id), file), "utf8")) as object;
    mkdirSync(folder(session.id), { recursive: true });
    writeFileSync(join(folder(session.id), file), JSON.stringify({ ...journal, session_id: session.id }));
    await host.start();
    expect(await host.inspect(session.id)).toMatchObject({ runtime: { state: "conflict" } });
    expect(await host.refusal("session.stop", session.id)).toBe("session_runtime_conflict");
    expect(await host.refusal("session.remove", session.id)).toBe("session_runtime_conflict");
    expect(await host.refusal("session.attach", { session_id: session.id })).toBe("session_runtime_conflict");
    expect(isAlive(session.pid)).toBe(true);
    expect(isAlive(stranger.pid)).toBe(true);
    expect((await host.inspect(stranger.id)).runtime.state).toBe("live");
  });
});

test("an ended session whose worker the daemon has not met again is being reconnected, and its output is read then", async () => {
  await using host = await startHost();
  const session = await host.newSession({ command: ["/bin/sh", "-c", "echo last-words; exit 3"] });
  await host.waitForState(session.id, "failed");
  const worker = host.workerPid(session.id);
  await host.kill();
  process.kill(worker, "SIGSTOP");
  try {
    await host.start();
    const params = { session_id: session.id, max_bytes: 1000 };
    expect(await host.refusal("session.output", params)).toBe("session_runtime_reconnecting");
    process.kill(worker, "SIGCONT");
    const { data_base64 } = await until("the output", async () => {
      await using client = await host.connect();
      const { ok } = await client.ask("session.output", params);
      return ok as { data_base64: string } | undefined;
    });
    expect(Buffer.from(data_base64, "base64").toString()).toContain("last-words");
  } finally {
    process.kill(worker, "SIGCONT");
  }
});
