import type { AttachMode } from "@pohunek/protocol/wire";
import type { TerminalSize } from "../terminal/local-terminal.ts";

/** The session that this program runs in, if it does: it must not be attached into itself. */
export interface AttachOrigin {
  readonly origin_session_id?: string;
  readonly origin_daemon_id?: string;
  readonly origin_worker_id?: string;
}

/** `repaint` of an attach. */
export interface WantedRepaint {
  readonly viewer: "fresh" | "used";
  readonly history_lines?: number;
  readonly screens?: "active";
}

/** What an attach tells the host, beside the session. */
export interface AttachWish {
  readonly origin: AttachOrigin;
  /** Absent when the terminal does not tell it. */
  readonly size: TerminalSize | undefined;
  readonly repaint: WantedRepaint;
  readonly mode: AttachMode;
}

/** A terminal that shows nothing of a session, whose main screen is its user's. */
export const FRESH_TERMINAL: WantedRepaint = { viewer: "fresh", screens: "active" };

/** The params of session.attach for a wish. */
export function attachParams(sessionId: string, { origin, size, repaint, mode }: AttachWish) {
  return {
    session_id: sessionId,
    ...(size === undefined ? {} : { initial_dimensions: { cols: size.cols, rows: size.rows } }),
    repaint,
    answers_queries: false,
    // Older hosts know no modes, and this one only where it is not the usual.
    ...(mode === "interactive" ? {} : { mode }),
    ...origin,
  };
}
