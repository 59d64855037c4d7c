import type { AgentRuntime } from "@pohunek/protocol";
import type { Handlers } from "../dispatcher.ts";
import type { Doctor } from "../doctor.ts";

export interface HostMethodsOptions {
  readonly release: string;
  readonly doctor: Doctor;
  readonly runtimes: () => Promise<readonly AgentRuntime[]>;
  readonly hasGit: () => boolean;
}

type HostMethods = Pick<Handlers, "daemon.health" | "daemon.doctor" | "host.inspect" | "host.discover">;

/** What can be asked about the daemon and its host. */
export function hostMethods({ release, doctor, runtimes, hasGit }: HostMethodsOptions): HostMethods {
  return {
    "daemon.health": (_params, { protocolVersion }) => ({
      status: "ok",
      daemon_version: release,
      protocol_version: protocolVersion,
    }),
    "daemon.doctor": async () => ({ report: await doctor.report() }),
    "host.inspect": async (_params, { protocolVersion }) => {
      const found = await runtimes();
      return {
        daemon_version: release,
        protocol_version: protocolVersion,
        supported_agents: found.map(({ agent }) => agent),
        runtimes: [...found],
        git_available: hasGit(),
        worktree_supported: false,
        terminal_read_supported: true,
        output_read_supported: true,
        session_wait_supported: true,
      };
    },
    // Peers are found through overlays that can be asked for their members; none of that kind is configured yet.
    "host.discover": () => [],
  };
}
