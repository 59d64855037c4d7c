import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { DetectionManifest } from "../../../packages/host/src/agents/detection/manifest.ts";
import { parseManifest } from "../../../packages/host/src/agents/detection/parse-manifest.ts";
import type { TimelineEntry } from "../../../packages/host/src/agents/detection/replay.ts";
import { replay } from "../../../packages/host/src/agents/detection/replay.ts";
import { EngineTerminal } from "../../../packages/host/src/detect/engine-terminal.ts";
import type { Recording } from "../../../packages/host/src/detect/recording.ts";
import { parseRecording } from "../../../packages/host/src/detect/recording.ts";
import type { Label } from "../../../packages/host/src/detect/score.ts";

const LABELS = join(import.meta.dir, "..", "labels");
const RECORDINGS = join(import.meta.dir, "..", "..", "terminal", "recordings");
const RUNTIMES = join(import.meta.dir, "..", "..", "..", "runtimes");

export interface Labelled {
  readonly name: string;
  readonly runtime: string;
  readonly recording: Recording;
  readonly labels: readonly Label[];
}

/** Recordings of agents with what was true in them; they lie with those of the terminal tests. */
export function readCorpus(): Labelled[] {
  return readdirSync(LABELS)
    .sort()
    .map((file) => {
      const { cast, agent, labels } = JSON.parse(readFileSync(join(LABELS, file), "utf8")) as {
        cast: string;
        agent: string;
        labels: Label[];
      };
      const recording = parseRecording(new Uint8Array(readFileSync(join(RECORDINGS, `${cast}.gz`))));
      // Folders are called by the command, labels by the product.
      const [runtime = ""] = agent.split("-");
      return { name: cast.replace(/\.cast$/, ""), runtime, recording, labels };
    });
}

export function manifestOf(runtime: string): DetectionManifest {
  return parseManifest(readFileSync(join(RUNTIMES, runtime, "detection.toml"), "utf8"));
}

export interface PlayOptions {
  readonly manifest: DetectionManifest;
  readonly hearsStatus: boolean;
  readonly quietMs?: number;
  readonly submits?: boolean;
}

export function playRecording(recording: Recording, options: PlayOptions): readonly TimelineEntry[] {
  const { cols, rows, events } = recording;
  using terminal = new EngineTerminal({ cols, rows, hearsStatus: options.hearsStatus });
  return replay({ ...options, terminal, events });
}
