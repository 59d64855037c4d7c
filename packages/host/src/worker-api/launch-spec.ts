import type { ClipboardPolicy } from "@pohunek/protocol/wire";
import type { HookRules } from "./hooks.ts";

/**
 * What a worker runs. It travels over the worker's socket (`initialize`), never in argv or the worker's environment, and
 * is not journaled: argv and env may hold secrets.
 */
export interface LaunchSpec {
  /** Program and arguments; the program is looked up in the PATH of `env` unless it contains a slash. */
  readonly argv: readonly string[];
  /** Absolute: the file to run. Absent: what the first of `argv` means. */
  readonly executable?: string;
  /**
   * The whole environment of the child but for what only the worker knows, which it adds: POHUNEK_WORKER_ID,
   * POHUNEK_WORKER_INSTANCE_ID, POHUNEK_WORKER_SOCKET_PATH and POHUNEK_WORKER_HOOK_PROTOCOL_VERSION.
   */
  readonly env: Readonly<Record<string, string>>;
  /** Absolute. */
  readonly cwd: string;
  /** File mode creation mask. Default: the worker's own, which it has from its starter. */
  readonly umask?: number;
  readonly cols: number;
  readonly rows: number;
  /** Bytes of output kept for replay and read_output. Default 10,000,000. */
  readonly history_bytes?: number;
  /** Lines of scrollback in the terminal engine. Default 1,000. */
  readonly history_lines?: number;
  /** Largest terminal the worker accepts; larger requests are clamped. Defaults 500 x 200. */
  readonly max_cols?: number;
  readonly max_rows?: number;
  /** Default: that of the protocol. */
  readonly clipboard?: ClipboardPolicy;
  /** Whose reports the worker takes. Absent: nobody's. */
  readonly hooks?: HookRules;
}

/** Version of the hook lines that a worker's socket accepts, told to the child by its environment. */
export const WORKER_HOOK_PROTOCOL_VERSION = 1;
