import type { AnnouncedEvent } from "@pohunek/protocol";
import type { DaemonId } from "@pohunek/protocol/wire";
import { decimal } from "@pohunek/protocol/wire";
import type { Activity } from "../agents/shell-activity.ts";
import { ShellActivity } from "../agents/shell-activity.ts";
import type { Logger } from "../logs/logger.ts";
import type { Inspection } from "../worker-api/inspection.ts";
import type { Registry } from "./registry.ts";
import type { Session } from "./session.ts";
import { runtimeIdentityOf } from "./session-info.ts";

export interface ActivityPorts {
  readonly registry: Pick<Registry, "wake">;
  readonly daemonId: DaemonId;
  readonly announce: (event: AnnouncedEvent) => void;
  readonly log: Logger;
}

/** The session's worker is connected and tells what its program does: the activity is known from here on. */
export function beginActivity(session: Session, inspection: Inspection, ports: ActivityPorts): void {
  const rootPgid = inspection.child?.pid;
  if (rootPgid === undefined) {
    return;
  }
  endActivity(session);
  session.activity = new ShellActivity({
    rootPgid,
    isShell: session.record.launch === "shell",
    onChange: (activity) => announceActivity(session, activity, ports),
  });
  session.activity.begin(inspection);
}

/** Nobody knows any more what the session does. */
export function endActivity(session: Session): void {
  session.activity?.[Symbol.dispose]();
  session.activity = undefined;
}

function announceActivity(session: Session, { activity, source, revision }: Activity, ports: ActivityPorts): void {
  const { announce, registry, daemonId, log } = ports;
  log.info("activity", { session_id: session.id, activity, source, revision });
  registry.wake(session);
  announce({
    event: "agent_state",
    payload: {
      session_id: session.id,
      activity,
      source,
      runtime: runtimeIdentityOf(session.record),
      activity_epoch: daemonId,
      revision: decimal(revision),
    },
  });
}
