type Environment = Readonly<Record<string, string | undefined>>;

/** What a hook knows of the session that its agent runs in. */
export interface HookPlace {
  readonly sessionId: string;
  readonly runtimeId: string;
  /** Absent: the worker is of a release that takes no reports, or of one that we can't speak to. */
  readonly workerSocket?: string;
  readonly publicSocket?: string;
  readonly referenceKind?: "id" | "path";
  readonly trace?: { readonly path: string; readonly maxBytes: number };
}

/** Lines of this version are what we write. */
const HOOK_PROTOCOL_VERSION = "1";
const TRACE_BYTES = { least: 1024, most: 16_777_216, default: 262_144 };

/** Undefined outside of sessions: the agent was started by somebody else, and nothing is reported. */
export function readPlace(env: Environment): HookPlace | undefined {
  const sessionId = env["POHUNEK_SESSION_ID"];
  const runtimeId = env["POHUNEK_WORKER_INSTANCE_ID"];
  if (env["POHUNEK_ENV"] !== "1" || !sessionId || !runtimeId) {
    return undefined;
  }
  const speaks = env["POHUNEK_WORKER_HOOK_PROTOCOL_VERSION"] === HOOK_PROTOCOL_VERSION;
  const kind = env["POHUNEK_NATIVE_REFERENCE_KIND"];
  const tracePath = absolute(env["POHUNEK_HOOK_TRACE_PATH"]);
  return {
    sessionId,
    runtimeId,
    workerSocket: speaks ? absolute(env["POHUNEK_WORKER_SOCKET_PATH"]) : undefined,
    publicSocket: absolute(env["POHUNEK_SOCKET_PATH"]),
    referenceKind: kind === "id" || kind === "path" ? kind : undefined,
    trace:
      tracePath === undefined
        ? undefined
        : { path: tracePath, maxBytes: traceBytes(env["POHUNEK_HOOK_TRACE_MAX_BYTES"]) },
  };
}

function absolute(path: string | undefined): string | undefined {
  return path?.startsWith("/") ? path : undefined;
}

function traceBytes(text: string | undefined): number {
  const { least, most, default: usual } = TRACE_BYTES;
  const bytes = Number(text ?? usual);
  return Number.isSafeInteger(bytes) ? Math.min(most, Math.max(least, bytes)) : usual;
}
