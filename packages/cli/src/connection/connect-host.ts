import { isProtocolError, protocolError } from "@pohunek/protocol/wire";
import type { Client } from "@pohunek/sdk";
import { connect } from "@pohunek/sdk";
import type { CommandContext } from "../context.ts";
import { remoteHost } from "../sessions/target.ts";
import type { DaemonPlace } from "./runtime-root.ts";
import { findDaemonPlace } from "./runtime-root.ts";
import { unixTransport } from "./unix-transport.ts";

export interface ConnectOptions {
  /** The host of a target; that of `--host` when absent. */
  readonly host?: string | undefined;
  /** Starts the local daemon when it does not run. */
  readonly startsDaemon?: boolean;
  readonly requestTimeoutMs?: number | undefined;
}

/** Where the local daemon is, as the environment says. */
export function daemonPlace(context: CommandContext): Promise<DaemonPlace> {
  return findDaemonPlace(context.settings, process.getuid?.() ?? 0);
}

/** Connects to the host that was asked for, and to no other. */
export async function connectHost(context: CommandContext, options: ConnectOptions = {}): Promise<Client> {
  requireLocal(options.host ?? context.host);
  const place = await daemonPlace(context);
  try {
    return await connectLocal(context, place, options);
  } catch (error) {
    if (!isProtocolError(error, "daemon_unreachable")) throw error;
    const { checkRuntimeDir } = await import("./runtime-dir.ts");
    checkRuntimeDir(place.runtimeDir);
    if (options.startsDaemon !== true || !isAbsent(error)) throw error;
    const { startDaemon } = await import("./start-daemon.ts");
    await startDaemon(context, place);
    return await connectLocal(context, place, options);
  }
}

/** True when nothing listens at the socket, unlike a daemon that does not answer. */
export function isAbsent(error: unknown): boolean {
  if (!isProtocolError(error, "daemon_unreachable")) return false;
  const code = (error.cause as NodeJS.ErrnoException | undefined)?.code;
  return code === "ENOENT" || code === "ECONNREFUSED";
}

/** Refuses hosts that cannot be reached; another host never stands in for them. */
export function requireLocal(host: string | undefined): void {
  const remote = remoteHost(host);
  if (remote === undefined) return;
  throw protocolError("host_unknown", {
    host: remote,
    message: "no private overlay is configured through which this host could be found",
    recover: "pohunek host list",
  });
}

function connectLocal(context: CommandContext, place: DaemonPlace, options: ConnectOptions): Promise<Client> {
  const origin = context.settings.origin();
  const { requestTimeoutMs } = options;
  return connect({
    transport: unixTransport(place.socketPath),
    ...(origin === undefined ? {} : { origin }),
    ...(requestTimeoutMs === undefined ? {} : { requestTimeoutMs }),
  });
}
