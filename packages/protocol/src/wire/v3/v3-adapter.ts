import type { VersionAdapter } from "../adapter.ts";
import { isRecord } from "../text.ts";
import type { Edit } from "./edit-at.ts";
import { editAt, renameKey } from "./edit-at.ts";
import type { Sites } from "./sites.ts";
import { eventSites, paramSites, resultSites, warningKinds } from "./sites.ts";

const RUNTIME: readonly string[] = ["runtime"];

const downgradeIdentity: Edit = (object) =>
  renameKey(
    renameKey(object, "worker_instance_id", "runtime_id"),
    "previous_worker_instance_id",
    "previous_runtime_id",
  );

const upgradeIdentity: Edit = (object) =>
  renameKey(
    renameKey(object, "runtime_id", "worker_instance_id"),
    "previous_runtime_id",
    "previous_worker_instance_id",
  );

const upgradeSession: Edit = (session) => editAt(session, RUNTIME, upgradeIdentity) as Record<string, unknown>;

const downgradeSession: Edit = (session) =>
  withoutNewWarnings(editAt(session, RUNTIME, downgradeIdentity) as Record<string, unknown>);

function withoutNewWarnings(session: Record<string, unknown>): Record<string, unknown> {
  const { warnings, ...others } = session;
  if (!Array.isArray(warnings)) return session;
  const known = warnings.filter((warning: unknown) => isRecord(warning) && warningKinds.has(warning["kind"]));
  if (known.length === warnings.length) return session;
  // An empty list is left out, as everywhere in the protocol.
  return known.length === 0 ? others : { ...others, warnings: known };
}

interface Direction {
  readonly identity: Edit;
  readonly session: Edit;
}

const up: Direction = { identity: upgradeIdentity, session: upgradeSession };
const down: Direction = { identity: downgradeIdentity, session: downgradeSession };

function translate(value: unknown, sites: Sites | undefined, direction: Direction): unknown {
  if (sites === undefined) return value;
  let translated = value;
  for (const path of sites.sessions ?? []) translated = editAt(translated, path, direction.session);
  for (const path of sites.identities ?? []) translated = editAt(translated, path, direction.identity);
  return translated;
}

/** Serves clients of protocol 3, and lets our clients reach daemons of protocol 3. */
export const v3Adapter: VersionAdapter = {
  version: 3,
  upgradeParams: (method, params) => translate(params, paramSites.get(method), up),
  downgradeResult: (method, result) => translate(result, resultSites.get(method), down),
  downgradeEvent: (event, payload) => {
    const sites = eventSites.get(event);
    return sites === undefined ? undefined : (translate(payload, sites, down) as object);
  },
  downgradeParams: (method, params) => translate(params, paramSites.get(method), down),
  upgradeResult: (method, result) => translate(result, resultSites.get(method), up),
  upgradeEvent: (event, payload) => translate(payload, eventSites.get(event), up) as object,
};

/** True when the params hold a worker's identity, which has another spelling in protocol 3. */
export function carriesWorkerIdentity(method: string, params: unknown): boolean {
  let isCarried = false;
  const note: Edit = (object) => {
    isCarried ||= Object.hasOwn(object, "worker_instance_id");
    return object;
  };
  for (const path of paramSites.get(method)?.identities ?? []) editAt(params, path, note);
  return isCarried;
}
