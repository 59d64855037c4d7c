import type { HandlerMap } from "@pohunek/protocol";
import { parseParams } from "@pohunek/protocol";
import type {
  ConnectionVersion,
  DaemonId,
  ImplementedMethod,
  InvalidEnvelope,
  ProtocolError,
  Request,
  StreamId,
} from "@pohunek/protocol/wire";
import {
  adapterFor,
  encodeFailure,
  encodeSuccess,
  isProtocolError,
  isRecord,
  methodRow,
  protocolError,
  servedMethod,
} from "@pohunek/protocol/wire";
import type { Logger } from "../logs/logger.ts";
import { failureFields } from "../logs/logger.ts";
import { exhaustion } from "./descriptor-room.ts";
import type { Origin } from "./origin.ts";
import { originName, refusalOf } from "./origin.ts";

/** What a connection brings to each of its requests. */
export interface Connection {
  readonly origin: Origin;
  readonly version: ConnectionVersion;
  /** Aborted when the connection is gone. */
  readonly signal: AbortSignal;
  /** Turns the connection into one that carries events once the running request is answered. */
  subscribe(): void;
  /** Turns the connection into this granted stream once the running request is answered; false when it can't be. */
  becomeStream(streamId: StreamId): boolean;
}

/** What a handler may know of the asking connection. Rights are not its business: they were checked before. */
export interface RequestContext {
  readonly requestId: string;
  readonly origin: Origin;
  /** Protocol version of the connection. */
  readonly protocolVersion: number;
  readonly signal: AbortSignal;
  /** The session that the asker says it runs in, when it names a session of this very daemon. */
  readonly originSessionId?: string;
  subscribe(): void;
  becomeStream(streamId: StreamId): boolean;
}

export type Handlers = HandlerMap<RequestContext>;

export interface DispatcherOptions {
  readonly handlers: Handlers;
  readonly daemonId: DaemonId;
  readonly log: Logger;
  /** An answer of so many bytes was made. */
  readonly onAnswer: (bytes: number) => void;
}

type AnyHandler = (params: unknown, context: RequestContext) => unknown;

/**
 * The one way from a request to its answer: version, method, right, params, origin guard, handler, and the answer in the
 * shape of the connection's version. Handlers see the current shape only, and only what they may do.
 */
export class Dispatcher {
  readonly #options: DispatcherOptions;

  constructor(options: DispatcherOptions) {
    this.#options = options;
  }

  /** Answers one request with one line. Never fails: whatever goes wrong is an error response. */
  async answer(request: Request | InvalidEnvelope, connection: Connection): Promise<Uint8Array> {
    const startedAt = performance.now();
    const { log } = this.#options;
    try {
      if (request.invalid !== undefined) {
        throw protocolError("bad_request", { message: request.invalid });
      }
      const mismatch = connection.version.accept(request.v);
      if (mismatch !== undefined) {
        throw mismatch;
      }
      const version = connection.version.current;
      const result = await this.#call(request, connection);
      const line = encodeAnswer(version, request, result);
      this.#options.onAnswer(line.length);
      log.info("request", summary(request, connection, { after_ms: since(startedAt) }));
      return line;
    } catch (cause) {
      const error = this.#toProtocolError(request, cause);
      log.info("request", summary(request, connection, { after_ms: since(startedAt), code: error.code }));
      return encodeFailure(connection.version.current, request.id, error);
    }
  }

  async #call(request: Request, connection: Connection): Promise<unknown> {
    const version = connection.version.current;
    const row = servedMethod(request.method, version);
    if (row === undefined) {
      throw protocolError("method_not_found");
    }
    const refusal = refusalOf(connection.origin, row);
    if (refusal !== undefined) {
      throw refusal;
    }
    // servedMethod has said that this is the name of an implemented method.
    const method = request.method as ImplementedMethod;
    const adapter = adapterFor(version);
    const params = parseParams(method, adapter.upgradeParams(method, request.params));
    const originSessionId = this.#originSessionOf(request);
    if (methodRow(method).isOriginGuarded && originSessionId !== undefined && originSessionId === targetOf(params)) {
      throw protocolError("plugin_self_target_denied");
    }
    const handler = this.#options.handlers[method] as AnyHandler;
    const result = await handler(params, {
      requestId: request.id,
      origin: connection.origin,
      protocolVersion: version,
      signal: connection.signal,
      originSessionId,
      subscribe: () => connection.subscribe(),
      becomeStream: (streamId) => connection.becomeStream(streamId),
    });
    return adapter.downgradeResult(method, result);
  }

  /** The asker's session, when it was started by this daemon: ids of another daemon mean nothing here. */
  #originSessionOf(request: Request): string | undefined {
    return request.origin_daemon_id === this.#options.daemonId ? request.origin_session_id : undefined;
  }

  #toProtocolError(request: Request | InvalidEnvelope, cause: unknown): ProtocolError {
    if (isProtocolError(cause)) {
      return cause;
    }
    this.#options.log.error("request_failed", { request_id: request.id, ...failureFields(cause) });
    return exhaustion(cause) ?? protocolError("internal_error", { cause });
  }
}

/** The session that a guarded method acts on: its params are the id, or an object that has it. */
function targetOf(params: unknown): unknown {
  return isRecord(params) ? params["session_id"] : params;
}

function encodeAnswer(version: number, request: Request, result: unknown): Uint8Array {
  try {
    return encodeSuccess(version, request.id, result);
  } catch (cause) {
    if (isProtocolError(cause, "framing")) {
      throw protocolError("serialize_failed", { cause });
    }
    throw cause;
  }
}

function summary(
  request: Request | InvalidEnvelope,
  connection: Connection,
  facts: { after_ms: number; code?: string },
): Record<string, string | number | boolean | undefined> {
  return {
    request_id: request.id,
    // An unknown method is whatever the peer sent: only known names are worth a place in the log.
    method:
      request.invalid === undefined && servedMethod(request.method, connection.version.current)
        ? request.method
        : undefined,
    origin: originName(connection.origin),
    version: connection.version.current,
    ...facts,
  };
}

function since(startedAt: number): number {
  return Math.round((performance.now() - startedAt) * 10) / 10;
}
