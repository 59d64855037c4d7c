import type { OriginPair } from "@pohunek/protocol/wire";
import { isOpaqueId, protocolError } from "@pohunek/protocol/wire";

export type Environment = Readonly<Record<string, string | undefined>>;

/** What this program takes from its environment, read once. */
export interface Settings {
  readonly home: string | undefined;
  readonly cwd: string;
  /** As given; not checked. */
  readonly xdgRuntimeDir: string | undefined;
  /** Roots of the XDG directories, each without `/pohunek`. Undefined where neither variable nor home is known. */
  readonly configRoot: string | undefined;
  readonly dataRoot: string | undefined;
  readonly stateRoot: string | undefined;
  readonly term: string | undefined;
  readonly noColor: string | undefined;
  readonly forceColor: string | undefined;
  readonly shell: string | undefined;
  /** What to type to start this program: `pohunek` where that is found, else the way to the launcher of a checkout. */
  readonly programName: () => string;
  /** The session that this program runs in, if it does. Throws `missing_env` where the environment is at odds with itself. */
  readonly origin: () => OriginPair | undefined;
  readonly originWorkerId: string | undefined;
  /** Variables that name the keys of an attach, by their names. */
  readonly keyNames: Readonly<Record<string, string | undefined>>;
  /** What a daemon that is started from here inherits. */
  readonly daemonEnvironment: () => Readonly<Record<string, string>>;
}

/** What holds for one program only: its session, of which a daemon that is started from inside is no part, and its launcher. */
const PROCESS_VARIABLES =
  /^POHUNEK_(?:ENV|LAUNCHER|SESSION_ID|WORKER_(?!LAUNCHER)|SOCKET_PATH|PROTOCOL_VERSION|DAEMON_ID|NATIVE_REFERENCE_KIND|HOOK_TRACE_)/;

export function readSettings(env: Environment, cwd: string): Settings {
  const home = nonEmpty(env["HOME"]);
  return {
    home,
    cwd,
    xdgRuntimeDir: env["XDG_RUNTIME_DIR"],
    configRoot: xdgRoot(env["XDG_CONFIG_HOME"], home, ".config"),
    dataRoot: xdgRoot(env["XDG_DATA_HOME"], home, ".local/share"),
    stateRoot: xdgRoot(env["XDG_STATE_HOME"], home, ".local/state"),
    term: env["TERM"],
    noColor: env["NO_COLOR"],
    forceColor: env["FORCE_COLOR"],
    shell: nonEmpty(env["SHELL"]),
    programName: () => programName(env),
    origin: () => readOrigin(env),
    originWorkerId: nonEmpty(env["POHUNEK_WORKER_ID"]),
    keyNames: {
      POHUNEK_DETACH_KEY: nonEmpty(env["POHUNEK_DETACH_KEY"]),
      POHUNEK_MENU_KEY: nonEmpty(env["POHUNEK_MENU_KEY"]),
    },
    daemonEnvironment: () => daemonEnvironment(env),
  };
}

function programName(env: Environment): string {
  const launcher = nonEmpty(env["POHUNEK_LAUNCHER"]);
  return launcher === undefined || Bun.which("pohunek", { PATH: env["PATH"] ?? "" }) !== null ? "pohunek" : launcher;
}

function nonEmpty(value: string | undefined): string | undefined {
  return value === "" ? undefined : value;
}

/** A relative path in an XDG variable is invalid and to be ignored (XDG base directory specification). */
function xdgRoot(value: string | undefined, home: string | undefined, fallback: string): string | undefined {
  if (value?.startsWith("/")) return value;
  return home === undefined ? undefined : `${home}/${fallback}`;
}

/** Both ids or none: half a pair would let a program inside a session pass for one outside. */
function readOrigin(env: Environment): OriginPair | undefined {
  const sessionId = nonEmpty(env["POHUNEK_SESSION_ID"]);
  const daemonId = nonEmpty(env["POHUNEK_DAEMON_ID"]);
  if (sessionId === undefined && daemonId === undefined) return undefined;
  if (isOpaqueId(sessionId) && isOpaqueId(daemonId))
    return { origin_session_id: sessionId, origin_daemon_id: daemonId };
  const [wrong, other] = isOpaqueId(sessionId)
    ? ["POHUNEK_DAEMON_ID", "POHUNEK_SESSION_ID"]
    : ["POHUNEK_SESSION_ID", "POHUNEK_DAEMON_ID"];
  throw protocolError("missing_env", {
    message: `${other} is set but ${wrong} is empty or invalid; together they say which session this program runs in`,
    recover: "Unset both variables, or set both as the session had them.",
  });
}

function daemonEnvironment(env: Environment): Record<string, string> {
  const kept = Object.entries(env).filter((entry): entry is [string, string] => {
    const [name, value] = entry;
    return value !== undefined && !PROCESS_VARIABLES.test(name);
  });
  return Object.fromEntries(kept);
}
