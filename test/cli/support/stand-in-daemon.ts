import { symlinkSync } from "node:fs";
import { dirname } from "node:path";
import type { ProtocolServerOptions } from "../../sdk/protocol-server.ts";
import { ProtocolServer } from "../../sdk/protocol-server.ts";
import type { TempRoots } from "../../support/index.ts";

/** A stand-in for the daemon, where the command line looks for one: for answers that a real daemon never gives. */
export async function standInDaemon(roots: TempRoots, options: ProtocolServerOptions): Promise<ProtocolServer> {
  const server = await ProtocolServer.start(options);
  symlinkSync(dirname(server.socketPath), roots.runtime);
  return server;
}

/** A session as a daemon lists it. */
export function sampleSession(facts: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> {
  return {
    id: "s-01KB0000000000000000000001",
    agent: "shell",
    agent_base: "shell",
    cwd: "/srv/project",
    pid: 4_242,
    cols: 80,
    rows: 24,
    state: "running",
    state_source: "process",
    capabilities: { resume: false, fork: false },
    runtime: { state: "live", runtime_generation: "1", worker_instance_id: "w-1" },
    created_at: "2030-01-01T12:00:00Z",
    updated_at: "2030-01-01T12:00:00Z",
    ...facts,
  };
}
