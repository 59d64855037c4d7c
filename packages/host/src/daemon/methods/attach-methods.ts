import type { ClipboardPolicy } from "@pohunek/protocol/wire";
import { protocolError } from "@pohunek/protocol/wire";
import { runningWorker } from "../../sessions/reachable-worker.ts";
import type { Registry } from "../../sessions/registry.ts";
import type { Session } from "../../sessions/session.ts";
import { factsOf } from "../../sessions/session.ts";
import { toSessionInfo } from "../../sessions/session-info.ts";
import type { Attachments } from "../attachments.ts";
import type { Handlers, RequestContext } from "../dispatcher.ts";

export interface AttachMethodsOptions {
  readonly registry: Registry;
  readonly attachments: Attachments;
  /** The session in whose process tree a local process runs, by the kernel's word. */
  readonly enclosingSession: (pid: number) => string | undefined;
}

/** A program acts on the clipboards of those who can act on it. */
const NO_CLIPBOARD: ClipboardPolicy = { write: "refuse", read: "refuse", max_bytes: 0 };

type AttachMethods = Pick<Handlers, "session.attach" | "session.detach" | "session.resize">;

/** Attaching to sessions, and the size of their terminals. */
export function attachMethods({ registry, attachments, enclosingSession }: AttachMethodsOptions): AttachMethods {
  const viewerOf = (
    params: { origin_session_id?: string; origin_worker_id?: string },
    context: RequestContext,
  ): string | undefined => {
    const declared = params.origin_session_id ?? context.originSessionId;
    const worker = declared === undefined ? undefined : registry.find(declared)?.record.runtime;
    // A worker id that is not the session's present one comes from an environment that outlived its session.
    const isStale =
      params.origin_worker_id !== undefined &&
      worker !== undefined &&
      worker.workerId !== params.origin_worker_id &&
      worker.runtimeId !== params.origin_worker_id;
    if (declared !== undefined && !isStale) {
      return declared;
    }
    return context.origin.kind === "local_owner" ? enclosingSession(context.origin.pid) : undefined;
  };
  return {
    "session.attach": (params, context) => {
      const { record, live } =
        params.by_name === true ? named(registry, params.session_id) : registry.get(params.session_id);
      const streamId = attachments.grant({
        sessionId: record.id,
        origin: context.origin,
        opening: {
          ...params.initial_dimensions,
          ...params.repaint,
          mode: params.mode,
          answers_queries: params.answers_queries,
        },
        viewerSessionId: viewerOf(params, context),
      });
      const isLooking = (params.mode ?? "interactive") !== "interactive";
      return {
        stream_id: streamId,
        clipboard: isLooking ? NO_CLIPBOARD : live?.clipboard,
        session: { id: record.id, name: record.name },
        upgraded: isDirect(params.upgrade_for_pid, context) && context.becomeStream(streamId) ? true : undefined,
      };
    },
    "session.detach": ({ stream_id }) => attachments.detach(stream_id),
    "session.resize": async ({ session_id, cols, rows, stream_id: stream, view: change }) => {
      const session = registry.get(session_id);
      const worker = runningWorker(session);
      const view = change === undefined ? undefined : await attachments.adjustView(session, { ...change, stream });
      const { changed } = await worker.resize({ cols, rows, stream });
      if (changed) {
        const live = factsOf(await worker.inspect());
        session.live = live;
        registry.touch(session, { cols: live.cols, rows: live.rows });
      }
      if (registry.find(session_id) !== session) {
        throw protocolError("session_not_found");
      }
      return { session: toSessionInfo(session), view };
    },
  };
}

/** True when the asking process itself holds the other end of the connection, and no relay. */
function isDirect(pid: number | undefined, { origin }: RequestContext): boolean {
  return pid !== undefined && origin.kind === "local_owner" && origin.pid === pid;
}

/** The session of this id, or else the only one of this name. Fails with session_not_found, also when several have it. */
function named(registry: Registry, text: string): Session {
  const byId = registry.find(text);
  if (byId !== undefined) {
    return byId;
  }
  const [only, ...others] = [...registry.all].filter(({ record }) => record.name === text);
  if (only === undefined || others.length > 0) {
    throw protocolError("session_not_found");
  }
  return only;
}
