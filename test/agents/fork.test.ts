import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { isAlive, until } from "../support/index.ts";
import { fork, inspect, newParrot, resume, say, startStage, talked } from "./support/stage.ts";

describe("a fork", () => {
  test("begins with the conversation so far and has its own from there on, while the first one runs", async () => {
    await using stage = await startStage();
    const { host, stub } = stage;
    const first = await talked(host, { name: "mine" });
    const reference = first.native_session_id ?? "";
    const second = await fork(host, { session_id: first.id, cols: 100, rows: 30 });
    expect(second).toMatchObject({
      name: "mine-2",
      agent: "parrot",
      cwd: first.cwd,
      cols: 100,
      rows: 30,
      state: "running",
      capabilities: { resume: true, fork: true },
      runtime: { runtime_generation: "1" },
    });
    expect(second.id).not.toBe(first.id);
    const own = second.native_session_id ?? "";
    expect(own).not.toBe(reference);
    await say(host, second.id, "cherry");
    await say(host, first.id, "melon");
    expect(stub.runs()[1]).toEqual(["--fork", reference, "--id", own]);
    expect(readFileSync(stub.talk(reference), "utf8")).toBe("banana\nmelon\n");
    expect(readFileSync(stub.talk(own), "utf8")).toBe("banana\ncherry\n");
    expect(isAlive(first.pid)).toBe(true);
    await host.call("session.stop", second.id);
    expect((await resume(host, second.id)).native_session_id).toBe(own);
    await using attach = await host.attach(second.id);
    await attach.until("earlier: cherry");
  });

  test("works from a session that has ended, which stays so, and from one that was lost", async () => {
    await using stage = await startStage();
    const { host } = stage;
    const ended = await talked(host);
    await host.call("session.stop", ended.id);
    const lost = await talked(host);
    process.kill(host.workerPid(lost.id), "SIGKILL");
    await host.waitForRuntime(lost.id, "lost");
    for (const { id } of [ended, lost]) {
      const forked = await fork(host, { session_id: id, name: "again" });
      expect(forked.name).toBe("again");
      await using attach = await host.attach(forked.id);
      await attach.until("earlier: banana");
    }
    expect((await inspect(host, ended.id)).state).toBe("stopped");
    expect((await inspect(host, lost.id)).runtime.state).toBe("lost");
  });

  test("is refused where it can't be: by what is told, and by code", async () => {
    await using stage = await startStage({ canFork: false });
    const { host, stub } = stage;
    const session = await talked(host);
    expect(session.capabilities).toEqual({ resume: true, fork: false });
    const params = (session_id: string) => ({ session_id, cols: 80, rows: 24 });
    expect(await host.refusal("session.fork", params(session.id))).toBe("agent_fork_unsupported");
    const shell = await host.newSession();
    expect(await host.refusal("session.fork", params(shell.id))).toBe("agent_fork_unsupported");
    expect(await host.refusal("session.fork", params("s-NONE"))).toBe("session_not_found");
    expect((await host.list()).length).toBe(2);
    expect(stub.runs().length).toBe(1);
  });
});

describe("the conversation of an agent that names it itself", () => {
  test("is known by the file that it holds open, and again after a fork", async () => {
    await using stage = await startStage({ strategy: "open_file" });
    const { host, stub } = stage;
    const { id } = await newParrot(host);
    const known = await until("the reference", async () => {
      const session = await inspect(host, id);
      return session.native_session_id !== undefined && session;
    });
    expect(known.native_session_id).toStartWith("talk-");
    expect(known.capabilities).toEqual({ resume: true, fork: true });
    await say(host, id, "banana");
    expect(await inspect(host, id)).toHaveProperty("native_last_activity_at");
    const forked = await fork(host, { session_id: id });
    const own = await until(
      "the reference of the fork",
      async () => (await inspect(host, forked.id)).native_session_id,
    );
    expect(own).not.toBe(known.native_session_id ?? "");
    await host.call("session.stop", id);
    await resume(host, id);
    await using attach = await host.attach(id);
    await attach.until("earlier: banana");
    expect(stub.runs().at(-1)).toEqual(["--plain", "--again", known.native_session_id ?? ""]);
  });

  test("is known by its last words, and stays so over a restart", async () => {
    await using stage = await startStage({ strategy: "exit_text" });
    const { host } = stage;
    const { id } = await newParrot(host);
    await say(host, id, "banana");
    expect((await inspect(host, id)).capabilities).toEqual({ resume: false, fork: false });
    expect(await host.refusal("session.fork", { session_id: id, cols: 80, rows: 24 })).toBe(
      "agent_native_reference_missing",
    );
    await using attach = await host.attach(id, { input: "quit\r" });
    await attach.until("Go on with");
    await host.waitForState(id, "done");
    // Nobody has to wait for the words to be read: the resume does.
    expect((await resume(host, id)).native_session_id).toStartWith("talk-");
    await host.restart();
    expect((await inspect(host, id)).capabilities).toEqual({ resume: true, fork: true });
  });
});
