import type { WorkerEvent } from "../worker-api/events.ts";
import type { Announcement } from "./announcer.ts";
import { describeSession } from "./observation.ts";
import type { SessionRuntime } from "./session-runtime.ts";
import type { ViewerRoll } from "./viewer-roll.ts";

export interface ChangeTellerOptions {
  readonly emit: (event: WorkerEvent) => void;
  readonly runtime: () => SessionRuntime;
  readonly viewers: Pick<ViewerRoll, "count" | "describe">;
}

/** Puts what has changed into events; what looks as it was told last is not told again. */
export class ChangeTeller {
  readonly #options: ChangeTellerOptions;
  #hasBell = false;
  #lastFacts: string | undefined;

  constructor(options: ChangeTellerOptions) {
    this.#options = options;
  }

  noteBell(): void {
    this.#hasBell = true;
  }

  tell(changed: ReadonlySet<Announcement>): void {
    const { emit, viewers } = this.#options;
    const runtime = this.#options.runtime();
    const { size, ring, typedAtMs } = runtime;
    if (changed.has("output")) {
      const typed = typedAtMs === undefined ? {} : { typed_at_ms: typedAtMs };
      emit({ event: "output_advanced", end_offset: ring.endOffset, at_ms: Date.now(), ...typed });
    }
    const facts = changed.has("terminal") ? describeSession(runtime) : undefined;
    const mark = facts && JSON.stringify(facts);
    if (facts && (mark !== this.#lastFacts || this.#hasBell)) {
      emit({ event: "terminal_changed", ...facts, ...(this.#hasBell ? { bell: true } : {}) });
      this.#lastFacts = mark;
      this.#hasBell = false;
    }
    if (changed.has("geometry")) {
      emit({ event: "geometry_changed", ...size });
    }
    if (changed.has("attached")) {
      emit({ event: "attach_count_changed", attached: viewers.count, viewers: viewers.describe() });
    }
  }
}
