import type { AgentActivity, SessionId, SessionState } from "@pohunek/protocol/wire";
import { decimal, protocolError } from "@pohunek/protocol/wire";
import type { SessionEnder } from "../../sessions/end-session.ts";
import type { Inventory } from "../../sessions/inventory.ts";
import type { Registry } from "../../sessions/registry.ts";
import type { Session } from "../../sessions/session.ts";
import { toSessionInfo } from "../../sessions/session-info.ts";
import type { Handlers, RequestContext } from "../dispatcher.ts";
import type { SessionLauncher } from "../session-launcher.ts";
import type { SessionRecovery } from "../session-recovery.ts";

export interface LifecycleMethodsOptions {
  readonly registry: Registry;
  readonly launcher: SessionLauncher;
  readonly recovery: SessionRecovery;
  readonly ender: SessionEnder;
  readonly inventory: Inventory;
}

type LifecycleMethods = Pick<
  Handlers,
  | "session.new"
  | "session.list"
  | "session.inspect"
  | "session.stop"
  | "session.remove"
  | "session.remove_accepting_unconfirmed"
  | "session.resume"
  | "session.fork"
  | "session.runtime_inventory"
>;

interface Filter {
  readonly key: "state" | "activity" | "agent" | "id" | "project";
  readonly value: string;
}

/** Starting, listing and ending sessions. */
export function lifecycleMethods({
  registry,
  launcher,
  recovery,
  ender,
  inventory,
}: LifecycleMethodsOptions): LifecycleMethods {
  const remove = async (id: SessionId, isAccepting: boolean) => {
    const { stopped, accepted } = await ender.remove(registry.get(id), isAccepting);
    return { removed: true, stopped, accepted };
  };
  return {
    "session.new": async (params) => {
      const { session, appliedInput, inputId } = await launcher.launch(params);
      return { ...toSessionInfo(session), applied_input: appliedInput, input_id: inputId };
    },
    "session.list": ({ filters = [] }) => {
      const sessions = [...registry.all];
      sessions.forEach(({ link }) => link?.look());
      return sessions.filter((session) => matchesAll(session, filters)).map((session) => toSessionInfo(session));
    },
    "session.inspect": (id) => {
      const session = registry.get(id);
      session.link?.look();
      return toSessionInfo(session);
    },
    "session.stop": async (id) => {
      const session = registry.get(id);
      recovery.noteEnd(session);
      const { isStored } = await ender.stop(session);
      return { stopped: true, stored: isStored ? undefined : false };
    },
    "session.remove": async (id) => {
      const { removed, stopped } = await remove(id, false);
      return { removed, stopped };
    },
    "session.remove_accepting_unconfirmed": async (id) => {
      const { accepted, ...outcome } = await remove(id, true);
      const processes = accepted.map(({ pid, start_identity, program }) => ({
        pid,
        start_identity: decimal(BigInt(start_identity)),
        command: program,
      }));
      return { ...outcome, accepted_unconfirmed_processes: processes.length === 0 ? undefined : processes };
    },
    "session.resume": async (params, context) => {
      const { session_id, accept_profile_change } =
        typeof params === "string" ? { session_id: params, accept_profile_change: false } : params;
      const session = registry.get(session_id);
      await recovery.resume(session, acceptsChange(accept_profile_change, context));
      return { session: toSessionInfo(session) };
    },
    "session.fork": async ({ session_id, name, name_clash: nameClash = "allow", cols, rows, ...params }, context) => {
      const acceptsProfileChange = acceptsChange(params.accept_profile_change, context);
      const request = { name, nameClash, cols, rows, acceptsProfileChange };
      return toSessionInfo(await recovery.fork(registry.get(session_id), request));
    },
    "session.runtime_inventory": async () => ({ entries: await inventory.list() }),
  };
}

/** Which environment a profile gives to its agents is the business of whoever sits at the host. */
function acceptsChange(isAccepted: boolean | undefined, { origin }: RequestContext): boolean {
  if (isAccepted && origin.kind !== "local_owner") {
    throw protocolError("agent_profile_change_local_only");
  }
  return isAccepted ?? false;
}

/** Every key must match; several values of one key are alternatives. */
function matchesAll(session: Session, filters: readonly Filter[]): boolean {
  return filters.every(({ key }) => filters.some((filter) => filter.key === key && matches(session, filter)));
}

function matches({ record, activity }: Session, { key, value }: Filter): boolean {
  switch (key) {
    case "state":
      return record.state === (value as SessionState);
    case "activity":
      return activity?.current?.activity === (value as AgentActivity);
    case "agent":
      return record.agent === value;
    case "id":
      return record.id === value;
    case "project":
      // No session belongs to a project yet.
      return false;
  }
}
