import type { ReconcileReport } from "../sessions/reconcile.ts";
import type { Store } from "../store/store.ts";
import type { Supervisor } from "../supervision/supervisor.ts";
import type { Check, Finding } from "./doctor.ts";
import { checkFolder } from "./doctor.ts";
import type { Roots } from "./roots.ts";
import type { SessionCore } from "./session-core.ts";

export interface DoctorChecksOptions {
  readonly roots: Roots;
  readonly store: Store;
  readonly core: SessionCore;
  readonly report: ReconcileReport;
  readonly supervisor: Pick<Supervisor, "backend">;
  readonly packages: { look(): Finding };
  readonly overlays: () => Finding | undefined;
}

/** What daemon.doctor looks at. Further parts of the host add their own checks. */
export function doctorChecks(options: DoctorChecksOptions): Check[] {
  const { roots, supervisor, packages, overlays } = options;
  return [
    { name: "daemon", look: () => ({ status: "ok", detail: "serving" }) },
    checkFolder("data folder", roots.data),
    checkFolder("state folder", roots.state),
    checkFolder("runtime folder", roots.runtime),
    { name: "store", look: () => lookAtStore(options) },
    { name: "sessions", look: () => lookAtSessions(options) },
    { name: "workers", look: async () => await lookAtWorkers(options) },
    { name: "supervision", look: () => ({ status: "ok", detail: supervisor.backend }) },
    { name: "packages", look: () => packages.look() },
    { name: "overlays", look: () => overlays() ?? { status: "ok", detail: "none configured" } },
  ];
}

function countOf(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}

function lookAtStore({ store, core, report }: DoctorChecksOptions): Finding {
  const verdict = store.checkIntegrity();
  if (verdict !== "ok") {
    return { status: "fail", detail: "the database is damaged; stop the daemon and put back a copy" };
  }
  const unstored = core.registry.unstoredCount;
  if (unstored > 0) {
    return {
      status: "fail",
      detail: `the last change of ${countOf(unstored, "session")} is not on disk; it is tried again`,
    };
  }
  const { unreadable, strayOperations } = report;
  if (unreadable.length > 0) {
    const ids = unreadable.map(({ id, reason }) => `${id} (${reason})`).join(", ");
    return { status: "warn", detail: `rows that can't be read are kept: ${ids}; mend or delete them with sqlite3` };
  }
  if (strayOperations.length > 0) {
    return { status: "warn", detail: `${strayOperations.length} unfinished operations have no session; they are kept` };
  }
  return { status: "ok", detail: "sound" };
}

function lookAtSessions({ core }: DoctorChecksOptions): Finding {
  const sessions = [...core.registry.all];
  const odd = sessions.filter(({ record }) =>
    ["reconnecting", "conflict", "incompatible"].includes(record.runtime.state),
  );
  return odd.length === 0
    ? { status: "ok", detail: countOf(sessions.length, "session") }
    : { status: "warn", detail: odd.map(({ record }) => `${record.id} is ${record.runtime.state}`).join(", ") };
}

async function lookAtWorkers({ core }: DoctorChecksOptions): Promise<Finding> {
  const entries = await core.inventory.list();
  const odd = entries.filter(({ status }) => status !== "managed");
  return odd.length === 0
    ? { status: "ok", detail: countOf(entries.length, "worker") }
    : {
        status: "warn",
        detail: odd.map((entry) => `${entry.runtime_slot}: ${entry.status} (${entry.reason ?? "-"})`).join(", "),
      };
}
