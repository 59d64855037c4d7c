import type { AttachMode, ViewLayout } from "@pohunek/protocol/wire";

/** One attached client, as a worker of version 3 lists it: all that a daemon must know that did not see it attach. */
export interface ViewerFacts {
  /** Public id of its attach stream. */
  readonly stream: string;
  readonly mode: AttachMode;
  /** The session in which the client itself runs, when it does. */
  readonly viewer_session?: string;
}

/** Changes what one viewer of mode `view` sees. What is absent stays. */
export interface AdjustViewParams {
  readonly stream: string;
  readonly layout?: ViewLayout;
  /** Back to the cursor, or to the end of the text. Moving ends it. */
  readonly follow?: boolean;
  /** Negative: to the left, upwards. What leads beyond an edge leads to it. */
  readonly move_cols?: number;
  readonly move_rows?: number;
}

export interface ViewFacts {
  readonly layout: ViewLayout;
  readonly follow: boolean;
}
