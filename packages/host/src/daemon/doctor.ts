import { accessSync, constants, statfsSync } from "node:fs";
import type { ReplyOf } from "@pohunek/protocol";
import type { DoctorStatus } from "@pohunek/protocol/wire";

/** What one look found. Never a path, an argument, a value of the environment or of the settings. */
export interface Finding {
  readonly status: DoctorStatus;
  readonly detail: string;
}

/** One thing that the doctor looks at. */
export interface Check {
  readonly name: string;
  look(): Finding | Promise<Finding>;
}

const ORDER: readonly DoctorStatus[] = ["ok", "warn", "fail"];

/** Looks at everything the daemon depends on. A look that fails is a finding, not an error of the request. */
export class Doctor {
  readonly #checks: () => readonly Check[];

  /** The checks are listed anew for each report: there is one for each profile. */
  constructor(checks: () => readonly Check[]) {
    this.#checks = checks;
  }

  async report(): Promise<ReplyOf<"daemon.doctor">["report"]> {
    const checks = await Promise.all(this.#checks().map((check) => this.#look(check)));
    const worst = Math.max(0, ...checks.map(({ status }) => ORDER.indexOf(status)));
    return { checks, overall: ORDER[worst] ?? "fail" };
  }

  async #look(check: Check): Promise<Finding & { name: string }> {
    try {
      return { name: check.name, ...(await check.look()) };
    } catch (cause) {
      const code = (cause as { code?: unknown }).code;
      return {
        name: check.name,
        status: "fail",
        detail: `the check failed (${typeof code === "string" ? code : "internal"})`,
      };
    }
  }
}

/** Below this the store, the logs and the journals are close to being refused by the disk. */
const LOW_BYTES = 64 * 1024 * 1024;

/** Whether a folder can be written and has room. */
export function checkFolder(name: string, path: string): Check {
  return {
    name,
    look() {
      accessSync(path, constants.W_OK | constants.X_OK);
      const { bavail, bsize } = statfsSync(path);
      const free = bavail * bsize;
      const megabytes = Math.floor(free / (1024 * 1024));
      return free < LOW_BYTES
        ? { status: free === 0 ? "fail" : "warn", detail: `writable, but only ${megabytes} MiB are free` }
        : { status: "ok", detail: "writable" };
    },
  };
}
