import type { ReplyOf } from "@pohunek/protocol";
import { decimal, encodeUtf8, LIMITS, protocolError } from "@pohunek/protocol/wire";
import type { ActivityDetector } from "../../agents/detection/activity-detector.ts";
import type { ActivityChange } from "../../agents/detection/explanation.ts";
import { DETECTION_REGIONS } from "../../agents/detection/manifest.ts";
import { activityDetailOf } from "../../sessions/activity-detail.ts";
import { reachableWorker } from "../../sessions/reachable-worker.ts";
import type { Registry } from "../../sessions/registry.ts";
import type { Handlers } from "../dispatcher.ts";

type DetectionMethods = Pick<Handlers, "session.detection" | "session.explain">;

/** What sessions are judged by. */
export function detectionMethods(registry: Registry): DetectionMethods {
  const detectorOf = (sessionId: string): ActivityDetector => {
    const session = registry.get(sessionId);
    // Without a worker nothing is judged; it tells why there is none.
    reachableWorker(session);
    return session.activity ?? refuse();
  };
  return {
    "session.detection": async ({ session_id }) => {
      const previews = await detectorOf(session_id).previews();
      const result = {
        session_id,
        supported_regions: [...DETECTION_REGIONS],
        previews: previews.map((each) => ({ ...each })),
      };
      if (encodeUtf8(JSON.stringify(result)).length > LIMITS.screenResultBytes) {
        throw protocolError("session_detection_response_too_large");
      }
      return result;
    },
    "session.explain": async ({ session_id }) => {
      const { detector, current, sources, rules, history } = await detectorOf(session_id).explain();
      return {
        session_id,
        detector,
        current: current && changeOf(current),
        sources: sources.map((each) => ({ ...each })),
        rules: rules.map((each) => ({ ...each })),
        history: history.map(changeOf),
      };
    },
  };
}

function refuse(): never {
  throw protocolError("session_not_running");
}

function changeOf({ atMs, activity: told }: ActivityChange): ReplyOf<"session.explain">["history"][number] {
  const { activity, source, revision } = told;
  return {
    at: new Date(atMs).toISOString(),
    activity,
    activity_source: source,
    activity_detail: activityDetailOf(told),
    revision: decimal(revision),
  };
}
