import type { TerminalFacts } from "../worker-api/inspection.ts";
import { WORKER_LIMITS } from "../worker-api/limits.ts";
import type {
  ReadOutputParams,
  ReadOutputResult,
  ReadTextParams,
  ReadTextResult,
  TerminalSnapshot,
} from "../worker-api/operations.ts";
import type { TerminalEngine } from "./engine/terminal-engine.ts";
import type { OutputWaiters } from "./output-waiters.ts";
import type { SessionRuntime } from "./session-runtime.ts";

/** Looking at a session: never changes its size, its input or who is attached. */
function describeTerminal(engine: TerminalEngine): TerminalFacts {
  const { title, cwd, progress } = engine;
  return {
    revision: engine.revision,
    ...(title === "" ? {} : { title }),
    ...(cwd === "" ? {} : { cwd }),
    ...(progress ? { progress } : {}),
    alternate_screen: engine.alternateScreen,
    bracketed_paste: engine.modes.bracketedPaste,
  };
}

const UNTOUCHED: TerminalFacts = { revision: 0, alternate_screen: false, bracketed_paste: false };

/** As `describeTerminal`, without loading the terminal state only to find that nothing was printed yet. */
export function describeSession(runtime: SessionRuntime): TerminalFacts {
  if (runtime.terminal.isUntouched) {
    return UNTOUCHED;
  }
  const terminal = runtime.read(({ engine }) => describeTerminal(engine));
  return { ...terminal, ...describeStatuses(runtime) };
}

/** To be asked after the engine has seen all output, reports included. */
function describeStatuses({ statuses: { count, records } }: SessionRuntime): Partial<TerminalFacts> {
  return count === 0 ? {} : { status_reports: count, status: records };
}

export function takeSnapshot(runtime: SessionRuntime): TerminalSnapshot {
  return runtime.read(({ engine }) => ({
    ...describeTerminal(engine),
    ...describeStatuses(runtime),
    output_offset: runtime.ring.endOffset,
    ...engine.size,
    cursor: engine.cursor,
    visible_lines: engine.visibleLines(),
  }));
}

export function readText(runtime: SessionRuntime, params: ReadTextParams): ReadTextResult {
  return runtime.read(({ engine }) => {
    const all = linesOf(engine, params);
    return {
      lines: all.slice(-params.lines),
      revision: engine.revision,
      alternate_screen: engine.alternateScreen,
      truncated: all.length > params.lines,
    };
  });
}

/** One line more than asked for, where there is one, shows that the text was cut. */
function linesOf(engine: TerminalEngine, { source, lines }: ReadTextParams): string[] {
  switch (source) {
    case "visible":
    case "detection":
      return engine.visibleLines();
    case "recent":
      return engine.recentLines(lines + 1);
    case "recent_unwrapped":
      return engine.recentLines(lines + 1, { unwrap: true });
  }
}

/** Reads retained output; with `wait_ms`, at the end of it, waits for more. */
export async function readOutput(
  runtime: SessionRuntime,
  waiters: OutputWaiters,
  params: ReadOutputParams,
): Promise<ReadOutputResult> {
  const { ring } = runtime;
  const isAtEnd = params.after_offset !== undefined && params.after_offset >= ring.endOffset;
  if (!isAtEnd || params.wait_ms === undefined || runtime.exit) {
    return cutOutput(runtime, params, false);
  }
  const hasOutput = await waiters.wait(ring.endOffset, params.wait_ms);
  return cutOutput(runtime, params, !hasOutput);
}

function cutOutput(runtime: SessionRuntime, params: ReadOutputParams, isTimedOut: boolean): ReadOutputResult {
  const { ring } = runtime;
  const { startOffset, endOffset } = ring;
  const most = Math.min(params.max_bytes, WORKER_LIMITS.readOutputBytes);
  const wanted = Math.min(params.after_offset ?? Math.max(startOffset, endOffset - most), endOffset);
  const start = Math.max(wanted, startOffset);
  const data = Buffer.allocUnsafe(Math.min(most, endOffset - start));
  const next = start + ring.copy(start, data);
  return {
    history_start_offset: startOffset,
    start_offset: start,
    next_offset: next,
    runtime_end_offset: endOffset,
    data_base64: data.toString("base64"),
    ...(wanted < start ? { gap: { start_offset: wanted, end_offset: start } } : {}),
    has_more: next < endOffset,
    timed_out: isTimedOut,
  };
}
