import type { ParsedParamsOf, ReplyOf } from "@pohunek/protocol";
import {
  compareDecimals,
  decimal,
  encodeUtf8,
  isProtocolError,
  LIMITS,
  parseDecimal,
  protocolError,
} from "@pohunek/protocol/wire";
import type { Changes } from "../../sessions/changes.ts";
import { hasEnded } from "../../sessions/lifecycle.ts";
import { reachableWorker } from "../../sessions/reachable-worker.ts";
import type { Registry } from "../../sessions/registry.ts";
import type { Session } from "../../sessions/session.ts";
import { runtimeIdentityOf } from "../../sessions/session-info.ts";
import type { TerminalProgressFact } from "../../worker-api/inspection.ts";
import type { ReadOutputResult } from "../../worker-api/operations.ts";
import type { Handlers } from "../dispatcher.ts";
import { waitForSession } from "../session-wait.ts";
import type { Waiters } from "../waiters.ts";

export interface ObserveMethodsOptions {
  readonly registry: Registry;
  readonly changes: Changes;
  readonly waiters: Waiters;
}

type ObserveMethods = Pick<Handlers, "session.screen" | "session.read" | "session.output" | "session.wait">;

/** Lines that session.read gives when the caller names no number. */
const READ_LINES = 100;

/** Looking at sessions. Nothing here changes a session, takes its size or counts as attached. */
export function observeMethods({ registry, changes, waiters }: ObserveMethodsOptions): ObserveMethods {
  return {
    "session.screen": async ({ session_id }) => {
      const session = registry.get(session_id);
      const snapshot = await watched(registry, session, () => reachableWorker(session).snapshot());
      return withinScreenLimit({
        session_id,
        worker_id: session.record.runtime.workerId,
        ...runtimeIdentityOf(session.record),
        watermark: decimal(snapshot.revision),
        dimensions: { cols: snapshot.cols, rows: snapshot.rows },
        cursor: snapshot.cursor,
        alternate_screen: snapshot.alternate_screen,
        title: snapshot.title,
        progress: progressText(snapshot.progress),
        visible_lines: [...snapshot.visible_lines],
      });
    },
    "session.read": async ({ session_id, source = "visible", lines = READ_LINES, format = "text" }) => {
      if (format !== "text") {
        throw protocolError(format === "ansi" ? "session_read_ansi_unavailable" : "bad_request");
      }
      const session = registry.get(session_id);
      const read = await watched(registry, session, () => reachableWorker(session).readText({ source, lines }));
      return withinScreenLimit({
        text: read.lines.join("\n"),
        source_used: source,
        revision: decimal(read.revision),
        alternate_screen: read.alternate_screen,
        lines_requested: lines,
        truncated: read.truncated,
        ...runtimeIdentityOf(session.record),
      });
    },
    "session.output": async (params) => {
      const session = registry.get(params.session_id);
      mustBeRuntime(session, params.runtime);
      using _slot = params.wait_ms === undefined ? undefined : waiters.take(session.id);
      const identity = runtimeIdentityOf(session.record);
      const read = await watched(registry, session, () => reachableWorker(session).readOutput(readParams(params)));
      return { session_id: params.session_id, ...identity, ...toWire(read) };
    },
    "session.wait": async (params, { signal }) => {
      using _slot = waiters.take(registry.get(params.session_id).id);
      return await waitForSession(params, { registry, changes, signal });
    },
  };
}

/** Runs a worker call. When the worker is lost over it, that is what is told, not a broken connection. */
async function watched<Result>(registry: Registry, session: Session, call: () => Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch (cause) {
    if (isProtocolError(cause, "worker_connect_failed")) {
      registry.get(session.id);
      throw protocolError(hasEnded(session.record) ? "session_not_running" : "session_runtime_reconnecting", { cause });
    }
    throw cause;
  }
}

function mustBeRuntime(session: Session, expected: ParsedParamsOf<"session.output">["runtime"]): void {
  const { worker_instance_id, runtime_generation } = runtimeIdentityOf(session.record);
  const isSame =
    expected === undefined ||
    (expected.worker_instance_id === worker_instance_id &&
      compareDecimals(expected.runtime_generation, runtime_generation) === 0);
  if (!isSame) {
    throw protocolError("session_runtime_changed");
  }
}

function readParams({ after_offset, max_bytes, wait_ms }: ParsedParamsOf<"session.output">): {
  after_offset?: number;
  max_bytes: number;
  wait_ms?: number;
} {
  // Offsets above 2^53 are beyond any output: the worker answers them like every offset past its end.
  const offset =
    after_offset === undefined
      ? undefined
      : Math.min(Number(parseDecimal(after_offset) ?? 0n), Number.MAX_SAFE_INTEGER);
  return {
    max_bytes,
    ...(offset === undefined ? {} : { after_offset: offset }),
    ...(wait_ms === undefined ? {} : { wait_ms }),
  };
}

function toWire(
  read: ReadOutputResult,
): Omit<ReplyOf<"session.output">, "session_id" | "worker_instance_id" | "runtime_generation"> {
  const { gap } = read;
  return {
    history_start_offset: decimal(read.history_start_offset),
    start_offset: decimal(read.start_offset),
    next_offset: decimal(read.next_offset),
    runtime_end_offset: decimal(read.runtime_end_offset),
    data_base64: read.data_base64,
    gap:
      gap === undefined ? undefined : { start_offset: decimal(gap.start_offset), end_offset: decimal(gap.end_offset) },
    has_more: read.has_more,
    timed_out: read.timed_out,
  };
}

function progressText(progress: TerminalProgressFact | undefined): string | undefined {
  if (progress === undefined) {
    return undefined;
  }
  return progress.percent === undefined ? progress.state : `${progress.state} ${progress.percent}%`;
}

function withinScreenLimit<Result>(result: Result): Result {
  if (encodeUtf8(JSON.stringify(result)).length > LIMITS.screenResultBytes) {
    throw protocolError("session_output_limit_exceeded", { message: "the screen's text does not fit in one answer" });
  }
  return result;
}
