import { z } from "zod";
import { defineMethods, dimension, idOf, openObject } from "../schema.ts";
import type { StreamId } from "../wire/ids.ts";
import { sessionId, sessionInfo } from "./session-info.ts";
import { wireError } from "./wire-error.ts";

const streamId = idOf<StreamId>("stream id");
const originId = idOf<string>("id");

export const sessionAttach = defineMethods({
  "session.attach": {
    params: z.object({
      session_id: sessionId,
      initial_dimensions: z.object({ cols: dimension, rows: dimension }).optional(),
      origin_session_id: originId.optional(),
      origin_daemon_id: originId.optional(),
      origin_worker_id: originId.optional(),
    }),
    result: openObject({ stream_id: streamId }),
  },
  "session.detach": {
    params: z.object({ stream_id: streamId }),
    result: openObject({ detached: z.boolean(), error: wireError.optional() }),
  },
  "session.resize": {
    params: z.object({ session_id: sessionId, cols: dimension, rows: dimension }),
    result: openObject({ session: sessionInfo }),
  },
});
