import type { z } from "zod";
import { assistant } from "./messages/assistant.ts";
import { events } from "./messages/events.ts";
import { host } from "./messages/host.ts";
import { integration } from "./messages/integration.ts";
import { notification } from "./messages/notification.ts";
import { packages } from "./messages/package.ts";
import { project } from "./messages/project.ts";
import { sessionAttach } from "./messages/session-attach.ts";
import { sessionInput } from "./messages/session-input.ts";
import { sessionLifecycle } from "./messages/session-lifecycle.ts";
import { sessionObserve } from "./messages/session-observe.ts";
import { sessionSettings } from "./messages/session-settings.ts";
import { subscription } from "./messages/subscribe.ts";
import type { MethodMessages } from "./schema.ts";
import type { EventName } from "./wire/events.ts";
import type { ImplementedMethod, MethodName } from "./wire/methods.ts";
import { protocolError } from "./wire/protocol-error.ts";
import { isRecord } from "./wire/text.ts";

/** Params and result of every method. One that METHODS lists and nobody declares does not compile. */
export const methods = {
  ...host,
  ...sessionLifecycle,
  ...sessionAttach,
  ...sessionInput,
  ...sessionObserve,
  ...sessionSettings,
  ...subscription,
  ...integration,
  ...assistant,
  ...notification,
  ...project,
  ...packages,
} satisfies { readonly [Name in MethodName]: MethodMessages };

type Methods = typeof methods;
type Events = typeof events;

/** Params as a caller writes them: defaults left out, ids as plain strings. */
export type ParamsOf<Name extends MethodName> = z.input<Methods[Name]["params"]>;
/** Params as a handler gets them: validated, defaults filled in, ids branded. */
export type ParsedParamsOf<Name extends MethodName> = z.output<Methods[Name]["params"]>;
/** A result as a client receives it: enums may hold values of a newer host. */
export type ResultOf<Name extends MethodName> = z.output<Methods[Name]["result"]>;
/** A result as a handler must write it: listed enum values only. */
export type ReplyOf<Name extends MethodName> = z.input<Methods[Name]["result"]>;
/** An event's payload as a client receives it. */
export type EventOf<Name extends EventName> = z.output<Events[Name]>;
/** An event's payload as a host must write it. */
export type EventPayloadOf<Name extends EventName> = z.input<Events[Name]>;

/** An event as a host announces it, told apart by its name. */
export type AnnouncedEvent = {
  [Name in EventName]: { readonly event: Name; readonly payload: EventPayloadOf<Name> };
}[EventName];

/**
 * A handler for each method in `Names`, which is every implemented one: a map that lacks one does not compile.
 * `Context` is what the dispatcher knows about the asking connection.
 */
export type HandlerMap<Context, Names extends MethodName = ImplementedMethod> = {
  readonly [Name in Names]: (params: ParsedParamsOf<Name>, context: Context) => ReplyOf<Name> | Promise<ReplyOf<Name>>;
};

/** Validates params of a request. Throws `bad_request` that names the field and what is wrong with it. */
export function parseParams<Name extends MethodName>(name: Name, params: unknown): ParsedParamsOf<Name> {
  const parsed = methods[name].params.safeParse(withoutNullFields(params));
  if (parsed.success) return parsed.data as ParsedParamsOf<Name>;
  throw protocolError("bad_request", { message: `${name}: ${explain(parsed.error)}`, cause: parsed.error });
}

/** Validates a result that a host sent. Unknown fields and enum values stay. Throws `json_error`. */
export function parseResult<Name extends MethodName>(name: Name, result: unknown): ResultOf<Name> {
  const parsed = methods[name].result.safeParse(result);
  if (parsed.success) return parsed.data as ResultOf<Name>;
  throw protocolError("json_error", { message: `result of ${name}: ${explain(parsed.error)}`, cause: parsed.error });
}

/** Validates the payload of an event that a host sent. Throws `json_error`. */
export function parseEventPayload<Name extends EventName>(name: Name, payload: unknown): EventOf<Name> {
  const parsed = events[name].safeParse(payload);
  if (parsed.success) return parsed.data as EventOf<Name>;
  throw protocolError("json_error", { message: `event ${name}: ${explain(parsed.error)}`, cause: parsed.error });
}

/**
 * Optional params are left out when absent, but some clients write null instead. No method has a top-level field for
 * which null means anything else.
 */
function withoutNullFields(params: unknown): unknown {
  if (!isRecord(params) || !Object.values(params).includes(null)) return params;
  return Object.fromEntries(Object.entries(params).filter(([, value]) => value !== null));
}

/** The first finding, as one line without the value itself, which may be private. */
function explain(error: z.core.$ZodError): string {
  const [issue] = error.issues;
  if (issue === undefined) return "not valid";
  const path = issue.path.map(String).join(".");
  return path === "" ? issue.message : `${path}: ${issue.message}`;
}
