import type { RotatingLog } from "./rotating-log.ts";

export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/**
 * What a log line may carry: flat facts. Ids, names of methods and codes, counts, durations. Never what was typed,
 * printed, rendered, prompted, or taken from an environment: callers pass no such value, so none needs to be redacted.
 */
export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

export interface Logger {
  debug(event: string, fields?: LogFields): void;
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
}

/** Writes JSON lines `{ts, level, event, ...fields}` of at least `minimum` to `log`. */
export function createLogger(log: Pick<RotatingLog, "append">, minimum: LogLevel): Logger {
  const threshold = LOG_LEVELS.indexOf(minimum);
  const at = (level: LogLevel) => {
    if (LOG_LEVELS.indexOf(level) < threshold) {
      return () => undefined;
    }
    return (event: string, fields?: LogFields): void => {
      log.append(JSON.stringify({ ts: new Date().toISOString(), level, event, ...fields }));
    };
  };
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

/** The fields of a failure that are safe to log: its code and its name, and the message of our own and system errors. */
export function failureFields(cause: unknown): LogFields {
  if (!(cause instanceof Error)) {
    return { failure: typeof cause };
  }
  const code = (cause as { code?: unknown }).code;
  return {
    failure: cause.name,
    ...(typeof code === "string" || typeof code === "number" ? { code } : {}),
    message: cause.message.slice(0, 500),
  };
}
