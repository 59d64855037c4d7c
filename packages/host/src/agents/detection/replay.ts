import type { ProgramStatus } from "../../worker-api/program-status.ts";
import type { Activity } from "./activity.ts";
import type { Clock } from "./clock.ts";
import { Detector } from "./detector.ts";
import type { DetectionManifest } from "./manifest.ts";

/** One line of a recording. */
export interface RecordedEvent {
  readonly atMs: number;
  readonly kind: "output" | "input" | "resize";
  /** Output: what was printed. Resize: `120x40`. */
  readonly data: string;
}

/** The terminal that a recording is played into. */
export interface ReplayTerminal {
  write(bytes: Uint8Array): void;
  resize(cols: number, rows: number): void;
  readonly title: string;
  readonly progress: string | undefined;
  readonly revision: number;
  readonly lines: readonly string[];
  /** Undefined until the first report. */
  readonly status: readonly ProgramStatus[] | undefined;
}

export interface ReplayOptions {
  readonly manifest: DetectionManifest;
  readonly terminal: ReplayTerminal;
  readonly events: readonly RecordedEvent[];
  /** Played on in silence after the last event. */
  readonly quietMs?: number;
  readonly startedAtMs?: number;
  /** A recorded CR counts as the end of a prompt that the daemon wrote for its owner. */
  readonly submits?: boolean;
  readonly cpuSeconds?: (atMs: number) => number | undefined;
}

export interface TimelineEntry {
  readonly atMs: number;
  readonly activity: Activity;
}

/** As a worker merges its announcements. */
const ANNOUNCE_EVERY_MS = 50;
/** As long as the worker's answer takes. */
const LOOK_TAKES_MS = 2;
/** Timers of one instant; more of them would be a loop. */
const MOST_TIMERS = 100_000;

/** Plays a recording in no time at all, and lists what would have been told and when. */
export function replay(options: ReplayOptions): readonly TimelineEntry[] {
  const { manifest, terminal, events, quietMs = 0, submits = false, cpuSeconds } = options;
  const clock = new ReplayClock(options.startedAtMs ?? 0);
  const timeline: TimelineEntry[] = [];
  using detector = new Detector({
    manifest,
    clock,
    onChange: (activity) => timeline.push({ atMs: clock.now(), activity }),
    look: () => {
      clock.after(LOOK_TAKES_MS, () => detector.screen(terminal.lines, terminal.revision));
    },
    cpuSeconds: () => cpuSeconds?.(clock.now()),
  });
  const announcer = new ReplayAnnouncer(clock, () => tell(detector, terminal));
  for (const event of events) {
    clock.advanceTo(event.atMs);
    play(event, { terminal, detector, announcer, submits });
  }
  clock.advanceTo((events.at(-1)?.atMs ?? 0) + quietMs);
  return timeline;
}

interface Player {
  readonly terminal: ReplayTerminal;
  readonly detector: Detector;
  readonly announcer: ReplayAnnouncer;
  readonly submits: boolean;
}

function play(event: RecordedEvent, { terminal, detector, announcer, submits }: Player): void {
  if (event.kind === "output") {
    terminal.write(Buffer.from(event.data, "utf8"));
    announcer.note();
  } else if (event.kind === "input") {
    announcer.typed();
    if (submits && event.data === "\r") detector.submitted();
  } else {
    const [cols = 80, rows = 24] = event.data.split("x").map(Number);
    terminal.resize(cols, rows);
    detector.resized();
    announcer.note();
  }
}

function tell(detector: Detector, terminal: ReplayTerminal): (afterTypingMs: number) => void {
  return (afterTypingMs) => {
    const { title, progress, revision, status } = terminal;
    detector.outputAdvanced(afterTypingMs);
    if (status !== undefined) detector.statusReported(status);
    detector.terminalChanged({
      ...(title === "" ? {} : { title }),
      ...(progress === undefined ? {} : { progress }),
      revision,
    });
  };
}

class ReplayAnnouncer {
  readonly #clock: ReplayClock;
  readonly #announce: () => (afterTypingMs: number) => void;
  #isDue = false;
  #lastMs = Number.NEGATIVE_INFINITY;
  #typedMs = Number.NEGATIVE_INFINITY;

  constructor(clock: ReplayClock, announce: () => (afterTypingMs: number) => void) {
    this.#clock = clock;
    this.#announce = announce;
  }

  typed(): void {
    this.#typedMs = this.#clock.now();
  }

  note(): void {
    const waitMs = Math.max(0, this.#lastMs + ANNOUNCE_EVERY_MS - this.#clock.now());
    if (this.#isDue) return;
    this.#isDue = true;
    this.#clock.after(waitMs, () => {
      this.#isDue = false;
      this.#lastMs = this.#clock.now();
      this.#announce()(this.#lastMs - this.#typedMs);
    });
  }
}

interface Timer {
  readonly atMs: number;
  readonly tick: () => void;
}

/** Time that stands still until it is moved. */
class ReplayClock implements Clock {
  readonly #startedAtMs: number;
  readonly #timers = new Set<Timer>();
  #nowMs = 0;

  constructor(startedAtMs: number) {
    this.#startedAtMs = startedAtMs;
  }

  now(): number {
    return this.#nowMs;
  }

  wallNow(): number {
    return this.#startedAtMs + this.#nowMs;
  }

  after(ms: number, tick: () => void): Disposable {
    const timer = { atMs: this.#nowMs + ms, tick };
    this.#timers.add(timer);
    return { [Symbol.dispose]: () => this.#timers.delete(timer) };
  }

  advanceTo(atMs: number): void {
    for (let fired = 0; ; fired += 1) {
      const next = this.#next(atMs);
      if (next === undefined) break;
      if (fired > MOST_TIMERS) throw new Error("timers without end");
      this.#timers.delete(next);
      this.#nowMs = Math.max(this.#nowMs, next.atMs);
      next.tick();
    }
    this.#nowMs = Math.max(this.#nowMs, atMs);
  }

  #next(untilMs: number): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of this.#timers) {
      if (timer.atMs <= untilMs && (first === undefined || timer.atMs < first.atMs)) first = timer;
    }
    return first;
  }
}
