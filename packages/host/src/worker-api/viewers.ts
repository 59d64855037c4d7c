import type { AttachMode } from "@pohunek/protocol/wire";

/** One attached client, as a worker of version 3 lists it: all that a daemon must know that did not see it attach. */
export interface ViewerFacts {
  /** Public id of its attach stream. */
  readonly stream: string;
  readonly mode: AttachMode;
  /** The session in which the client itself runs, when it does. */
  readonly viewer_session?: string;
}
