import { LIMITS } from "./limits.ts";

declare const idBrand: unique symbol;

type Id<Kind extends string> = string & { readonly [idBrand]: Kind };

/** `s-<ULID>`: the one key of a session for its whole life. Clients treat it as opaque. */
export type SessionId = Id<"session">;
/** One PTY generation of a session: the worker that owns it. */
export type WorkerInstanceId = Id<"worker_instance">;
/** The worker slot of a session, stable over its generations. */
export type WorkerId = Id<"worker">;
/** `a-<n>`: one granted attach, redeemable once. */
export type StreamId = Id<"stream">;
/** `i-<ULID>`, or what the caller chose: one input, whose receipt it names. */
export type InputId = Id<"input">;
/** One run of a daemon. */
export type DaemonId = Id<"daemon">;
/** `host_` and 43 base64url characters. */
export type HostId = Id<"host">;
/** `p-<hash>` of the canonical git common directory. */
export type ProjectId = Id<"project">;
/** `n-...` */
export type NotificationId = Id<"notification">;
/** Name of an agent runtime: lower-case letters, digits, `.`, `_`, `-`. */
export type RuntimeId = Id<"runtime">;

const OPAQUE = /^[A-Za-z0-9._:-]{1,128}$/;
const HOST = /^host_[A-Za-z0-9_-]{43}$/;
const RUNTIME = /^(?![.-])(?!.*\.\.)[a-z0-9._-]{1,64}$/;

/** True for an id in the alphabet that requests, sessions, workers and streams share (1 to 128 of `A-Z a-z 0-9 - _ . :`). */
export function isOpaqueId(value: unknown): value is string {
  return typeof value === "string" && OPAQUE.test(value);
}

export function isSessionId(value: unknown): value is SessionId {
  return isOpaqueId(value);
}

export function isWorkerInstanceId(value: unknown): value is WorkerInstanceId {
  return isOpaqueId(value);
}

export function isStreamId(value: unknown): value is StreamId {
  return isOpaqueId(value);
}

export function isHostId(value: unknown): value is HostId {
  return typeof value === "string" && HOST.test(value);
}

export function isRuntimeId(value: unknown): value is RuntimeId {
  return typeof value === "string" && RUNTIME.test(value);
}

const CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const TIME_CHARS = 10;
const RANDOM_CHARS = 16;

/** A new ULID: 48 bits of milliseconds and 80 random bits, 26 characters that sort by creation time. */
export function newUlid(nowMs: number = Date.now()): string {
  let time = "";
  for (let rest = nowMs, index = 0; index < TIME_CHARS; index += 1, rest = Math.floor(rest / 32)) {
    time = CROCKFORD.charAt(rest % 32) + time;
  }
  let random = "";
  // One byte gives one character: 256 is a multiple of 32, so the low five bits are evenly spread.
  for (const byte of crypto.getRandomValues(new Uint8Array(RANDOM_CHARS))) random += CROCKFORD.charAt(byte & 31);
  return time + random;
}

export function newSessionId(nowMs?: number): SessionId {
  return `s-${newUlid(nowMs)}` as SessionId;
}

export function newWorkerInstanceId(nowMs?: number): WorkerInstanceId {
  return `w-${newUlid(nowMs)}` as WorkerInstanceId;
}

export function newNotificationId(nowMs?: number): NotificationId {
  return `n-${newUlid(nowMs)}` as NotificationId;
}

export function newInputId(nowMs?: number): InputId {
  return `i-${newUlid(nowMs)}` as InputId;
}

/** `a-<n>`, where the caller counts. */
export function streamIdOf(counter: number): StreamId {
  return `a-${counter}` as StreamId;
}

/** `d-<pid>-<nanoseconds>-<sequence>` */
export function daemonIdOf(parts: { pid: number; startedAtNanos: bigint; sequence: number }): DaemonId {
  return `d-${parts.pid}-${parts.startedAtNanos}-${parts.sequence}` as DaemonId;
}

/**
 * A fresh request id, unique enough to find one request in the logs of two hosts. Nobody trusts it with more, so it does
 * without the generator for secrets, which takes a program longer to set up than a whole request.
 */
export function newRequestId(): string {
  const random = Math.random().toString(36).slice(2);
  return `r-${Date.now().toString(36)}-${random}`.slice(0, LIMITS.requestIdBytes);
}
