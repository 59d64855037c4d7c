import type { RecordedEvent, TimelineEntry } from "../../../packages/host/src/agents/detection/replay.ts";
import { replay } from "../../../packages/host/src/agents/detection/replay.ts";
import { EngineTerminal } from "../../../packages/host/src/detect/engine-terminal.ts";
import { manifestOf } from "./corpus.ts";

export interface Scene {
  readonly atMs: number;
  /** The whole screen; absent: another size. */
  readonly rows?: readonly string[];
  readonly title?: string;
  readonly cols?: number;
  /** A prompt is submitted. */
  readonly isSubmitted?: true;
}

export interface SceneOptions {
  readonly cols?: number;
  readonly rows?: number;
  readonly quietMs?: number;
  readonly cpuSeconds?: (atMs: number) => number | undefined;
}

const ESC = "\x1b";

/** Plays screens that were drawn by hand against the rules of an agent. */
export function playScenes(
  runtime: string,
  scenes: readonly Scene[],
  { cols = 80, rows = 24, quietMs = 5_000, cpuSeconds }: SceneOptions = {},
): readonly TimelineEntry[] {
  using terminal = new EngineTerminal({ cols, rows, hearsStatus: true });
  return replay({
    manifest: manifestOf(runtime),
    terminal,
    events: scenes.flatMap((scene) => eventsOf(scene, rows)),
    quietMs,
    submits: true,
    ...(cpuSeconds === undefined ? {} : { cpuSeconds }),
  });
}

function eventsOf({ atMs, rows, title, cols, isSubmitted }: Scene, height: number): RecordedEvent[] {
  const events: RecordedEvent[] = [];
  if (cols !== undefined) events.push({ atMs, kind: "resize", data: `${cols}x${height}` });
  if (isSubmitted) events.push({ atMs, kind: "input", data: "\r" });
  const named = title === undefined ? "" : `${ESC}]0;${title}\x07`;
  const drawn = rows === undefined ? "" : `${ESC}[?1049h${ESC}[2J${ESC}[H${rows.slice(-height).join("\r\n")}`;
  if (named + drawn !== "") events.push({ atMs, kind: "output", data: named + drawn });
  return events;
}

/** The activities that were told, one after the other, with their details. */
export function toldOf(timeline: readonly TimelineEntry[]): string[] {
  return timeline.map(({ activity: { activity, detail } }) =>
    [activity ?? "unknown", ...(detail?.kind === undefined || detail.kind === "unknown" ? [] : [detail.kind])].join(
      " ",
    ),
  );
}

const RULE = "─";

/** The screens of one agent as its recordings show them, in the width of the terminal. */
export const CLAUDE = {
  composer: (cols: number, footer: string): string[] => [RULE.repeat(cols), "❯ ", RULE.repeat(cols), `  ${footer}`],
  idle: (cols = 80, above: readonly string[] = ["● Done."]): string[] => [
    ...above,
    "",
    ...CLAUDE.composer(cols, "⏸ manual mode on · ? for shortcuts"),
  ],
  working: (cols = 80, above: readonly string[] = ["❯ go on", "", "✶ Galloping… (3s)"]): string[] => [
    ...above,
    "",
    ...CLAUDE.composer(cols, "⏸ manual mode on · esc to interrupt"),
  ],
  approval: [
    "────────────────────────────────────────",
    " Bash command",
    "",
    "   touch a.txt",
    "",
    " Do you want to proceed?",
    " ❯ 1. Yes",
    "   2. Yes, and always allow access to",
    "      /tmp/proj from this project",
    "   3. No",
    "",
    " Esc to cancel · Tab to amend",
  ],
};
