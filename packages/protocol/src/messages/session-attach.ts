import { z } from "zod";
import { closedEnum, defineMethods, dimension, idOf, openEnum, openObject, schemaNotes } from "../schema.ts";
import { ATTACH_MODES, REPAINT_SCREENS, VIEW_LAYOUTS, VIEWER_STATES } from "../wire/enums.ts";
import type { StreamId } from "../wire/ids.ts";
import { clipboardPolicy } from "./clipboard.ts";
import { sessionId, sessionInfo } from "./session-info.ts";
import { wireError } from "./wire-error.ts";

const streamId = idOf<StreamId>("stream id");
const move = z.int().min(-1_000_000).max(1_000_000);
const originId = idOf<string>("id");

/**
 * `viewer`: `fresh` when the terminal has shown nothing of a session and is in its user's own state, which is then left
 * alone; `used` (the default) when it may be in any state. `history_lines`: rows of history to be sent ahead of the screen;
 * absent means all that the host keeps, at most 1,000. `screens`: with `active` a session on its alternate screen leaves the
 * viewer's main screen alone, which is then its user's: the repaint begins with CSI ? 1049 h (or 1047, 47), after a CAN for a
 * used viewer. When the program leaves that screen, a repaint follows that moves the main screen's rows into the scrollback
 * first. `both` (the default) gives the main screen at once.
 */
const attachRepaint = z.object({
  viewer: closedEnum(VIEWER_STATES).optional(),
  history_lines: z.int().min(0).max(100_000).optional(),
  screens: closedEnum(REPAINT_SCREENS).optional(),
});

/**
 * What is absent stays. `follow` true: back to the cursor, or to the end of the text. `move_cols` and `move_rows` move the
 * window, negative ones to the left and upwards, and end following.
 */
const viewChange = z.object({
  layout: closedEnum(VIEW_LAYOUTS).optional(),
  follow: z.boolean().optional(),
  move_cols: move.optional(),
  move_rows: move.optional(),
});

const viewState = openObject({ layout: openEnum(VIEW_LAYOUTS), follow: z.boolean() });

export const sessionAttach = defineMethods({
  "session.attach": {
    params: z.object({
      session_id: sessionId,
      /** `session_id` may also be the name of a session, if it is the name of only one. Absent: false. */
      by_name: z.boolean().optional().register(schemaNotes, { isOurs: true }),
      /**
       * The asking connection itself becomes the stream, behind the answer, which then says `upgraded`, if the kernel says
       * that it comes from this process: then nothing is in between that could be slow, and no grant is made for another
       * connection. Nothing may be sent on it before the answer.
       */
      upgrade_for_pid: z.int().positive().optional().register(schemaNotes, { isOurs: true }),
      initial_dimensions: z.object({ cols: dimension, rows: dimension }).optional(),
      /** Absent: `interactive`. */
      mode: closedEnum(ATTACH_MODES).optional().register(schemaNotes, { isOurs: true }),
      /** What the viewer's terminal has to be told first. Absent: nothing is known of it, so everything. */
      repaint: attachRepaint.optional().register(schemaNotes, { isOurs: true }),
      /** False: the client keeps the program's queries from its terminal, which so answers none. Absent: true. */
      answers_queries: z.boolean().optional().register(schemaNotes, { isOurs: true }),
      origin_session_id: originId.optional(),
      origin_daemon_id: originId.optional(),
      origin_worker_id: originId.optional(),
    }),
    result: openObject({
      stream_id: streamId,
      /** Absent from a host that does not know, where the defaults hold. A client that only looks is allowed nothing. */
      clipboard: clipboardPolicy.optional().register(schemaNotes, { isOurs: true }),
      /** The session that was meant. */
      session: openObject({ id: sessionId, name: z.string().optional() })
        .optional()
        .register(schemaNotes, { isOurs: true }),
      /** The bytes after this answer are the terminal's. */
      upgraded: z.boolean().optional().register(schemaNotes, { isOurs: true }),
    }),
  },
  "session.detach": {
    params: z.object({ stream_id: streamId }),
    result: openObject({ detached: z.boolean(), error: wireError.optional() }),
  },
  "session.resize": {
    params: z.object({
      session_id: sessionId,
      cols: dimension,
      rows: dimension,
      /** The attach stream whose terminal has this size. Absent: the session is to have it, whoever is attached. */
      stream_id: streamId.optional().register(schemaNotes, { isOurs: true }),
      /** What the client with this `stream_id`, one of mode `view`, wants to see. */
      view: viewChange.optional().register(schemaNotes, { isOurs: true }),
    }),
    result: openObject({ session: sessionInfo, view: viewState.optional().register(schemaNotes, { isOurs: true }) }),
  },
});
