import type { DaemonId, SessionId } from "@pohunek/protocol/wire";
import { PROTOCOL_VERSION } from "@pohunek/protocol/wire";

type Environment = Readonly<Record<string, string | undefined>>;

export interface ChildEnvironmentOptions {
  readonly daemonEnv: Environment;
  /** Further variables of the daemon that the owner wants forwarded. */
  readonly forward: readonly string[];
  readonly shell: string;
  readonly sessionId: SessionId;
  readonly daemonId: DaemonId;
  readonly publicSocketPath: string;
  /** Where hooks of the session's agent tell what they could not deliver. */
  readonly hookTracePath: string;
  /** What the agent's conversations are called by, where it has any. */
  readonly referenceKind?: string;
  /** What the session's runtime and profile add. */
  readonly own?: Readonly<Record<string, string>>;
}

/** Variables that describe the user and the machine. Everything else of the daemon's environment stays with it. */
const INHERITED = new Set([
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "LANG",
  "TMPDIR",
  "SSH_AUTH_SOCK",
  "DISPLAY",
  "WAYLAND_DISPLAY",
  "XAUTHORITY",
  "DBUS_SESSION_BUS_ADDRESS",
]);
const INHERITED_PREFIXES = ["LC_", "XDG_"];

/** What the worker's terminal engine understands. */
const TERM = "xterm-256color";
/** For thousands of lines. */
const HOOK_TRACE_BYTES = 262_144;
const DEFAULT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** Where agents are looked for: as in any session, then in the folders that the settings name. */
export function agentPath(daemonEnv: Environment, folders: readonly string[]): string {
  return [daemonEnv["PATH"] ?? DEFAULT_PATH, ...folders].join(":");
}

/**
 * The environment of a session's program: an allowlist of the daemon's own, what the owner's settings forward, and the
 * markers by which a process knows the session it runs in. The worker adds the markers that only it knows.
 */
export function childEnvironment(options: ChildEnvironmentOptions): Record<string, string> {
  const env: Record<string, string> = { PATH: DEFAULT_PATH };
  for (const [name, value] of Object.entries(options.daemonEnv)) {
    const isInherited = INHERITED.has(name) || INHERITED_PREFIXES.some((prefix) => name.startsWith(prefix));
    if (value !== undefined && (isInherited || options.forward.includes(name))) {
      env[name] = value;
    }
  }
  return {
    ...env,
    SHELL: options.shell,
    ...options.own,
    TERM,
    POHUNEK_ENV: "1",
    POHUNEK_SESSION_ID: options.sessionId,
    POHUNEK_SOCKET_PATH: options.publicSocketPath,
    POHUNEK_PROTOCOL_VERSION: String(PROTOCOL_VERSION),
    POHUNEK_DAEMON_ID: options.daemonId,
    POHUNEK_HOOK_TRACE_PATH: options.hookTracePath,
    POHUNEK_HOOK_TRACE_MAX_BYTES: String(HOOK_TRACE_BYTES),
    ...(options.referenceKind === undefined ? {} : { POHUNEK_NATIVE_REFERENCE_KIND: options.referenceKind }),
  };
}
