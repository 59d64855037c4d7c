import { describe, expect, test } from "bun:test";
import { renameSync } from "node:fs";
import { join } from "node:path";
import type { Host, SessionFacts } from "../support/index.ts";
import { isAlive, startHost, until } from "../support/index.ts";

interface Impostor {
  readonly host: Host;
  readonly session: SessionFacts;
  readonly answer: { readonly ok: object } | { readonly error: object };
}

/** Answers in the place of a session's worker with whatever `negotiate` gives. */
async function withImpostor({ host, session, answer }: Impostor, look: () => Promise<void>): Promise<void> {
  const socket = join(host.roots.runtime, "workers", session.id, "control.sock");
  await host.kill();
  renameSync(socket, `${socket}.real`);
  const impostor = Bun.listen({
    unix: socket,
    socket: {
      data(peer, chunk) {
        for (const line of chunk.toString().trimEnd().split("\n")) {
          const { id } = JSON.parse(line) as { id: number };
          peer.write(`${JSON.stringify({ id, ...answer })}\n`);
        }
      },
    },
  });
  try {
    await host.start();
    await look();
  } finally {
    impostor.stop(true);
    renameSync(`${socket}.real`, socket);
  }
}

describe("what answers in the place of a worker", () => {
  test("with no common protocol version is incompatible: it runs on, and nothing of it is touched", async () => {
    await using host = await startHost();
    const session = await host.newSession();
    const error = { code: "worker_protocol_incompatible", message: "only 7 to 8" };
    await withImpostor({ host, session, answer: { error } }, async () => {
      expect(await host.inspect(session.id)).toMatchObject({
        state: "running",
        runtime: { state: "incompatible", loss_reason: "worker_protocol_incompatible" },
      });
      expect(await host.refusal("session.attach", { session_id: session.id })).toBe("worker_protocol_incompatible");
      expect(await host.refusal("session.screen", { session_id: session.id })).toBe("worker_protocol_incompatible");
      expect(await host.refusal("session.stop", session.id)).toBe("worker_protocol_incompatible");
      expect(await host.refusal("session.resume", session.id)).toBe("worker_protocol_incompatible");
      const { entries } = await host.call<{ entries: object[] }>("session.runtime_inventory");
      expect(entries).toMatchObject([{ status: "incompatible", claimed_session_id: session.id }]);
      expect(isAlive(session.pid)).toBe(true);
    });
    await host.restart();
    expect(await host.inspect(session.id)).toMatchObject({
      pid: session.pid,
      state: "running",
      runtime: { state: "live" },
    });
  }, 30_000);

  test("with another identity is a conflict, announced as one, and nobody is killed", async () => {
    await using host = await startHost();
    const session = await host.newSession();
    const { worker_id } = session.runtime;
    const ok = {
      session_id: session.id,
      worker_id,
      runtime_id: "w-stranger",
      generation: 1,
      version: 2,
      range: { min: 1, max: 2 },
      frame_payload_bytes: 65_536,
    };
    await withImpostor({ host, session, answer: { ok } }, async () => {
      expect(await host.inspect(session.id)).toMatchObject({
        runtime: { state: "conflict", loss_reason: "worker_identity_mismatch" },
      });
      expect(await host.refusal("session.resume", session.id)).toBe("session_runtime_conflict");
      expect(await host.refusal("session.input", { session_id: session.id, text: "x" })).toBe(
        "session_runtime_conflict",
      );
      expect(await host.refusal("session.remove_accepting_unconfirmed", session.id)).toBe("session_runtime_conflict");
      expect(isAlive(session.pid)).toBe(true);
    });
    await host.restart();
    expect(await host.inspect(session.id)).toMatchObject({ pid: session.pid, runtime: { state: "live" } });
  }, 30_000);
});

describe("a process that carries the session's marks but not those of the generation", () => {
  test("is never signalled; it keeps the session from being removed until that is accepted", async () => {
    await using host = await startHost();
    const session = await host.newSession();
    const marks = { POHUNEK_SESSION_ID: session.id, POHUNEK_WORKER_ID: session.runtime.worker_id };
    const stray = Bun.spawn(["sleep", "600"], { env: { PATH: process.env["PATH"] ?? "", ...marks } });
    const hook = Bun.spawn(["sleep", "600"], {
      env: { PATH: process.env["PATH"] ?? "", POHUNEK_SESSION_ID: session.id },
    });
    try {
      await using client = await host.connect();
      const { err } = await client.ask("session.remove", session.id);
      expect(err).toMatchObject({ class: "runtime", code: "session_exit_timeout" });
      expect(err?.recover).toContain("--accept-unconfirmed-cleanup");
      expect((await host.inspect(session.id)).state).toBe("stopped");
      expect(isAlive(stray.pid)).toBe(true);
      expect(await client.refusal("session.remove", session.id)).toBe("session_exit_timeout");
      const removed = await client.call<{ accepted_unconfirmed_processes: { pid: number }[] }>(
        "session.remove_accepting_unconfirmed",
        session.id,
      );
      expect(removed).toMatchObject({
        removed: true,
        stopped: false,
        accepted_unconfirmed_processes: [{ pid: stray.pid, command: "sleep" }],
      });
      expect(removed.accepted_unconfirmed_processes.length).toBe(1);
      expect(await host.list()).toEqual([]);
      expect(isAlive(stray.pid)).toBe(true);
      expect(isAlive(hook.pid)).toBe(true);
    } finally {
      stray.kill("SIGKILL");
      hook.kill("SIGKILL");
      await Promise.all([stray.exited, hook.exited]);
    }
    await until("the worker's end", () => host.workers().size === 0);
  }, 30_000);
});
