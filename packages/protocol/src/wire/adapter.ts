import type { MethodName } from "./methods.ts";
import { isMethodName, methodRow } from "./methods.ts";
import { carriesWorkerIdentity, v3Adapter } from "./v3/v3-adapter.ts";
import { MIN_PROTOCOL_VERSION, PROTOCOL_VERSION } from "./version.ts";

/**
 * Translates between today's shapes and those of one protocol version. Everything else knows today's shapes only: the
 * daemon translates where a request comes in, where its response and each subscriber's events go out; a client where its
 * request goes out and responses and events come in. A value is never changed in place.
 */
export interface VersionAdapter {
  readonly version: number;
  /** Daemon: params of a peer of this version. Throws `version_translation_failed`. */
  upgradeParams(method: string, params: unknown): unknown;
  /** Daemon: a result for a peer of this version. */
  downgradeResult(method: string, result: unknown): unknown;
  /** Daemon: an event's payload for a subscriber of this version; undefined when it must not see the event. */
  downgradeEvent(event: string, payload: object): object | undefined;
  /** Client: params for a daemon of this version. Throws `version_translation_failed`. */
  downgradeParams(method: string, params: unknown): unknown;
  /** Client: a result from a daemon of this version. Throws `version_translation_failed`. */
  upgradeResult(method: string, result: unknown): unknown;
  /** Client: an event's payload from a daemon of this version. Throws `version_translation_failed`. */
  upgradeEvent(event: string, payload: object): object;
}

const currentAdapter: VersionAdapter = {
  version: PROTOCOL_VERSION,
  upgradeParams: (_method, params) => params,
  downgradeResult: (_method, result) => result,
  downgradeEvent: (_event, payload) => payload,
  downgradeParams: (_method, params) => params,
  upgradeResult: (_method, result) => result,
  upgradeEvent: (_event, payload) => payload,
};

/** The adapter of a version inside the window. */
export function adapterFor(version: number): VersionAdapter {
  if (version === PROTOCOL_VERSION) return currentAdapter;
  if (version === v3Adapter.version) return v3Adapter;
  throw new RangeError(`protocol ${version} is outside ${MIN_PROTOCOL_VERSION} to ${PROTOCOL_VERSION}`);
}

/**
 * True when a request means different things in different versions of the window, so that a client has to know the
 * connection's version before it sends it.
 */
export function isVersionDependent(method: MethodName, params: unknown): boolean {
  return introducedIn(method) > MIN_PROTOCOL_VERSION || carriesWorkerIdentity(method, params);
}

/** The first version of the window that has the method. */
export function introducedIn(method: string): number {
  const introduced = isMethodName(method) ? methodRow(method).introduced : undefined;
  return introduced ?? MIN_PROTOCOL_VERSION;
}
