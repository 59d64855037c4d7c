/** One thing that was looked at. */
export interface Check {
  readonly name: string;
  readonly status: "ok" | "warn" | "fail";
  /** What was found; names no value of a variable and no content of a file. */
  readonly detail: string;
}

export interface Report {
  readonly checks: readonly Check[];
  readonly overall: Check["status"];
}

export function ok(name: string, detail: string): Check {
  return { name, status: "ok", detail };
}

export function warn(name: string, detail: string): Check {
  return { name, status: "warn", detail };
}

export function fail(name: string, detail: string): Check {
  return { name, status: "fail", detail };
}

/** The worst of the checks is the state of the whole. */
export function reportOf(checks: readonly Check[]): Report {
  const has = (status: Check["status"]): boolean => checks.some((check) => check.status === status);
  return { checks, overall: has("fail") ? "fail" : has("warn") ? "warn" : "ok" };
}
