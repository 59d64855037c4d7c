import type { ErrorClass } from "./errors/row.ts";
import { ERROR_CLASSES } from "./errors/row.ts";
import type { ErrorCode } from "./errors.ts";
import { errorRow } from "./errors.ts";

/** A failure as it travels in a response or in session.detach. */
export interface WireError {
  readonly class: ErrorClass;
  readonly code: string;
  /** For people only: never parsed. */
  readonly msg: string;
  /** What to do next, where that is known. */
  readonly recover?: string;
}

export interface ProtocolErrorOptions {
  /** More exact than the sentence of the table. */
  readonly message?: string;
  /** What to do next; the table's hint when absent. */
  readonly recover?: string;
  /** Facts for logs and tests. They never travel. */
  readonly details?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
  /** Which host failed, as the caller named it. */
  readonly host?: string;
  /** Class of a code that is not in our table. */
  readonly class?: ErrorClass;
}

/** The one error of protocol, SDK, daemon and CLI. Branch on `code`, never on the text. */
export class ProtocolError<Code extends string = string> extends Error {
  override readonly name = "ProtocolError";
  readonly code: Code;
  readonly class: ErrorClass;
  readonly recover: string | undefined;
  readonly details: Readonly<Record<string, unknown>> | undefined;
  readonly host: string | undefined;

  constructor(code: Code, options: ProtocolErrorOptions = {}) {
    const row = errorRow(code);
    super(options.message ?? row?.sentence ?? code, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.class = options.class ?? row?.class ?? "daemon";
    this.recover = options.recover ?? row?.hint;
    this.details = options.details;
    this.host = options.host;
  }

  get isRetryable(): boolean {
    return errorRow(this.code)?.retryable ?? false;
  }

  /** The same failure, told to have happened on a host. */
  onHost(host: string): ProtocolError<Code> {
    const { message, recover, details, cause } = this;
    return new ProtocolError(this.code, { message, recover, details, cause, class: this.class, host });
  }

  toWire(): WireError {
    const wire = { class: this.class, code: this.code, msg: this.message };
    return this.recover === undefined ? wire : { ...wire, recover: this.recover };
  }
}

/** A coded failure. With no message it says the table's sentence. */
export function protocolError<Code extends ErrorCode>(code: Code, options?: ProtocolErrorOptions): ProtocolError<Code> {
  return new ProtocolError(code, options);
}

/** True for a ProtocolError, of the given code when one is named. */
export function isProtocolError(value: unknown, code?: ErrorCode): value is ProtocolError {
  return value instanceof ProtocolError && (code === undefined || value.code === code);
}

/** Reads the `err` of a response exactly; undefined when it is not an error shape. */
export function parseWireError(value: unknown): WireError | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const { class: errorClass, code, msg, recover, ...rest } = value as Record<string, unknown>;
  if (Object.keys(rest).length > 0) return undefined;
  if (!ERROR_CLASSES.includes(errorClass as ErrorClass)) return undefined;
  if (typeof code !== "string" || code === "" || typeof msg !== "string") return undefined;
  if (recover !== undefined && typeof recover !== "string") return undefined;
  return value as WireError;
}

/** The failure that a peer sent. */
export function errorFromWire(wire: WireError, host?: string): ProtocolError {
  return new ProtocolError(wire.code, { message: wire.msg, recover: wire.recover, class: wire.class, host });
}
