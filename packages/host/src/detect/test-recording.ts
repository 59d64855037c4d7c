import type { Activity } from "../agents/detection/activity.ts";
import type { DetectionManifest } from "../agents/detection/manifest.ts";
import { replay } from "../agents/detection/replay.ts";
import { EngineTerminal } from "./engine-terminal.ts";
import type { Recording } from "./recording.ts";
import type { Label, Score } from "./score.ts";
import { score } from "./score.ts";

export interface RecordingTest {
  readonly recording: Recording;
  readonly manifest: DetectionManifest;
  /** False: what the program reports by OSC 7501 is not heard. */
  readonly hearsStatus: boolean;
  readonly labels?: readonly Label[];
}

export interface TestedChange {
  readonly at: number;
  readonly activity: Activity["activity"] | "unknown";
  readonly detail?: Activity["detail"];
}

export interface RecordingReport {
  readonly timeline: readonly TestedChange[];
  readonly score?: Score;
}

/** Played on in silence after its end, so that what is due then is told. */
const QUIET_MS = 2_000;

/** Plays a recording against rules, and compares what would have been told with the labels, when there are some. */
export function testRecording({ recording, manifest, hearsStatus, labels }: RecordingTest): RecordingReport {
  const { cols, rows, events, startedAtMs } = recording;
  using terminal = new EngineTerminal({ cols, rows, hearsStatus });
  const timeline = replay({
    manifest,
    terminal,
    events,
    quietMs: QUIET_MS,
    submits: true,
    ...(startedAtMs === undefined ? {} : { startedAtMs }),
  });
  return {
    timeline: timeline.map(({ atMs, activity: { activity, detail } }) => ({
      at: Math.round(atMs) / 1_000,
      activity: activity ?? "unknown",
      ...(detail === undefined ? {} : { detail }),
    })),
    ...(labels === undefined ? {} : { score: score(timeline, labels) }),
  };
}
