/**
 * What a connection must be allowed to do. `local_only` answers on the Unix socket of the host alone, whatever rights
 * the connection has.
 */
export type Right = "observe" | "control" | "attach" | "spawn" | "handover" | "admin" | "local_only";

/** What is known about a method beside its messages. */
export interface MethodRow {
  readonly right: Right;
  /** The protocol version that brought the method. Older connections get `method_not_found`. */
  readonly introduced?: number;
  /** Refused with `plugin_self_target_denied` when the asker runs inside the very session that it names. */
  readonly isOriginGuarded?: true;
  /** Takes no params. `strict` answers `bad_request` to anything but null, `ignored` does not look. */
  readonly nullParams?: "strict" | "ignored";
  /** An addition of this implementation: no client may count on it before it has asked. */
  readonly isOurs?: true;
  /** Answered by the daemon of this release; otherwise it answers `method_not_found`. */
  readonly implemented: boolean;
}

/**
 * The methods of the public protocol: the one list that declarations, dispatcher, SDK and docs are made from.
 * Their params and results are declared in ../messages, one file a feature.
 */
export const METHODS = {
  "daemon.health": { right: "observe", nullParams: "ignored", implemented: true },
  "daemon.doctor": { right: "observe", nullParams: "strict", implemented: true },

  "host.inspect": { right: "observe", nullParams: "ignored", implemented: true },
  "host.discover": { right: "observe", implemented: true },
  "host.governance.inspect": { right: "observe", nullParams: "ignored", implemented: false },

  "session.new": { right: "spawn", implemented: true },
  "session.list": { right: "observe", implemented: true },
  "session.inspect": { right: "observe", implemented: true },
  "session.stop": { right: "control", isOriginGuarded: true, implemented: true },
  "session.remove": { right: "control", isOriginGuarded: true, implemented: true },
  "session.remove_accepting_unconfirmed": { right: "control", isOriginGuarded: true, implemented: true },
  "session.resume": { right: "spawn", isOriginGuarded: true, implemented: true },
  "session.fork": { right: "spawn", isOriginGuarded: true, implemented: true },
  "session.runtime_inventory": { right: "observe", nullParams: "ignored", implemented: true },
  "session.attach": { right: "attach", implemented: true },
  "session.detach": { right: "attach", implemented: true },
  "session.resize": { right: "control", isOriginGuarded: true, implemented: true },
  "session.input": { right: "control", isOriginGuarded: true, implemented: true },
  "session.answer": { right: "control", isOriginGuarded: true, isOurs: true, implemented: true },
  "session.input_status": { right: "observe", isOurs: true, implemented: true },
  "session.screen": { right: "observe", implemented: true },
  "session.read": { right: "observe", implemented: true },
  "session.detection": { right: "observe", implemented: true },
  "session.explain": { right: "observe", isOurs: true, implemented: true },
  "session.output": { right: "observe", implemented: true },
  "session.wait": { right: "observe", implemented: true },
  "session.report_native_id": { right: "local_only", implemented: true },
  "session.report_agent": { right: "control", implemented: true },
  "session.release_agent": { right: "control", implemented: true },
  "session.set_metadata": { right: "control", isOriginGuarded: true, implemented: true },
  "session.rename": { right: "control", isOriginGuarded: true, implemented: true },
  "session.diff": { right: "observe", implemented: false },
  "session.policy.get": { right: "observe", nullParams: "ignored", implemented: false },
  "session.policy.set": { right: "admin", implemented: false },
  "session.retention.sweep": { right: "admin", implemented: false },

  subscribe: { right: "observe", nullParams: "ignored", implemented: true },

  "integration.install": { right: "admin", implemented: true },
  "integration.status": { right: "observe", implemented: true },
  "integration.doctor": { right: "observe", implemented: true },
  "integration.uninstall": { right: "admin", implemented: true },

  "assistant.materialize": { right: "admin", implemented: false },

  "notification.create": { right: "control", implemented: false },
  "notification.list": { right: "observe", implemented: false },
  "notification.update": { right: "control", implemented: false },
  "notification.delete": { right: "control", implemented: false },
  "notification.policy.get": { right: "observe", nullParams: "ignored", implemented: false },
  "notification.policy.set": { right: "admin", implemented: false },
  "notification.retention.prune": { right: "admin", implemented: false },

  "project.list": { right: "observe", implemented: false },
  "project.add": { right: "admin", implemented: false },
  "project.show": { right: "observe", implemented: false },
  "project.rename": { right: "admin", implemented: false },
  "project.remove": { right: "admin", implemented: false },
  "project.prompt": { right: "observe", implemented: false },
  "project.action": { right: "observe", implemented: false },
  "project.actions": { right: "observe", implemented: false },

  "worktree.remove": { right: "admin", implemented: false },

  "package.list": { right: "local_only", nullParams: "ignored", introduced: 4, implemented: true },
  "package.inspect": { right: "local_only", introduced: 4, implemented: true },
  "package.doctor": { right: "local_only", introduced: 4, implemented: true },
  "package.install": { right: "local_only", introduced: 4, implemented: true },
  "package.link": { right: "local_only", introduced: 4, implemented: true },
  "package.set_enabled": { right: "local_only", introduced: 4, implemented: true },
  "package.select": { right: "local_only", introduced: 4, implemented: true },
  "package.uninstall": { right: "local_only", introduced: 4, implemented: true },
  "package.bind_profile": { right: "local_only", introduced: 4, implemented: true },
} as const satisfies Record<string, MethodRow>;

export type MethodName = keyof typeof METHODS;

/** The methods that take no params. */
export type NullParamsMethod = {
  [Name in MethodName]: (typeof METHODS)[Name] extends { nullParams: string } ? Name : never;
}[MethodName];

/** The methods that this release answers. A host must have a handler for each. */
export type ImplementedMethod = {
  [Name in MethodName]: (typeof METHODS)[Name]["implemented"] extends true ? Name : never;
}[MethodName];

export function isMethodName(name: string): name is MethodName {
  return Object.hasOwn(METHODS, name);
}

/** The row of a method, with its optional fields. */
export function methodRow(name: MethodName): MethodRow {
  return METHODS[name];
}

/** The row of a method on a connection of this version; undefined stands for `method_not_found`. */
export function servedMethod(name: string, version: number): MethodRow | undefined {
  if (!isMethodName(name)) return undefined;
  const row = methodRow(name);
  return row.implemented && version >= (row.introduced ?? 0) ? row : undefined;
}
