import type { AnnouncedEvent } from "@pohunek/protocol";
import type { DaemonId } from "@pohunek/protocol/wire";
import { decimal } from "@pohunek/protocol/wire";
import { SHELL_RUNTIME } from "../agents/agents.ts";
import type { Activity } from "../agents/detection/activity.ts";
import type { ScreenContent } from "../agents/detection/agent-activity.ts";
import { systemClock } from "../agents/detection/clock.ts";
import type { DetectedAgent, ManifestSource } from "../agents/detection/manifest-source.ts";
import { processorTime } from "../agents/detection/processor-time.ts";
import type { ProcessNames } from "../agents/detection/recognize-agent.ts";
import { SessionActivity } from "../agents/detection/session-activity.ts";
import type { RuntimeSource } from "../agents/runtime-definition.ts";
import type { Logger } from "../logs/logger.ts";
import type { Platform } from "../platform/index.ts";
import type { Inspection } from "../worker-api/inspection.ts";
import { activityDetailOf } from "./activity-detail.ts";
import type { NativeReferences } from "./native-references.ts";
import type { Registry } from "./registry.ts";
import type { Session } from "./session.ts";
import { runtimeIdentityOf } from "./session-info.ts";

export interface ActivityPorts {
  readonly registry: Pick<Registry, "wake" | "touch">;
  readonly platform: Pick<Platform, "processes">;
  readonly runtimes: Pick<RuntimeSource, "all">;
  readonly manifests: ManifestSource;
  readonly references: Pick<NativeReferences, "activityTold">;
  readonly daemonId: DaemonId;
  readonly announce: (event: AnnouncedEvent) => void;
  readonly log: Logger;
}

/** More rows than any terminal has. */
const SCREEN_ROWS = 256;

/** The session's worker is connected and tells what its program does: the activity is known from here on. */
export function beginActivity(session: Session, inspection: Inspection, ports: ActivityPorts): void {
  const rootPgid = inspection.child?.pid;
  if (rootPgid === undefined) {
    return;
  }
  endActivity(session);
  const { manifests, runtimes, platform, registry } = ports;
  const activity: SessionActivity = new SessionActivity({
    clock: systemClock,
    rootPgid,
    isShell: session.record.launch === "shell",
    agent: agentOf(session),
    chooseManifest: (agent) => manifests.find(agent),
    processNames: () => processNames(runtimes),
    processes: platform.processes,
    readScreen: () => readScreen(session, activity),
    cpuSeconds: () => processorTime(rootPgid, platform.processes),
    onChange: (change) => announceActivity(session, change, ports),
    onActiveAgent: () => registry.touch(session),
  });
  session.activity = activity;
  session.lookAgain = (snapshot) => activity.looked(snapshot);
  activity.begin(inspection);
}

/** Nobody knows any more what the session does. */
export function endActivity(session: Session): void {
  session.activity?.[Symbol.dispose]();
  session.activity = undefined;
  session.lookAgain = undefined;
}

function agentOf({ record }: Session): DetectedAgent | undefined {
  const { agent, agentBase, nativeLaunch } = record;
  const digest = nativeLaunch?.package?.digest;
  return agentBase === SHELL_RUNTIME
    ? undefined
    : { name: agent, base: agentBase, ...(digest === undefined ? {} : { digest }) };
}

function processNames({ all }: Pick<RuntimeSource, "all">): ProcessNames {
  return new Map(all.flatMap((runtime) => runtime.processNames.map((name) => [name, runtime.id] as const)));
}

/** A detector that was replaced meanwhile gets nothing, as the session may run another program by then. */
async function readScreen(session: Session, asking: SessionActivity): Promise<ScreenContent | undefined> {
  const client = session.link?.isConnected ? session.link.client : undefined;
  try {
    const read = await client?.readText({ source: "detection", lines: SCREEN_ROWS });
    return session.activity === asking ? read : undefined;
  } catch {
    // The connection broke, which its link tells to whom it concerns.
    return undefined;
  }
}

function announceActivity(session: Session, change: Activity, ports: ActivityPorts): void {
  const { announce, registry, references, daemonId, log } = ports;
  const { activity, source, revision, detail } = change;
  session.activitySinceMs = performance.now();
  log.info("activity", {
    session_id: session.id,
    activity: activity ?? "unknown",
    source,
    revision,
    detail: detail?.kind,
  });
  if (activity === undefined) {
    // The event has no word for it; the session itself says that nothing is known.
    registry.touch(session);
    return;
  }
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
      activity_detail: activityDetailOf(change),
    },
  });
  references.activityTold(session, activity);
}
