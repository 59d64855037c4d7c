import type { ViewerFacts } from "../worker-api/viewers.ts";
import type { AttachedViewer } from "./attached-viewer.ts";

/** Who is attached to a session. */
export class ViewerRoll {
  readonly #viewers = new Set<AttachedViewer>();

  join(viewer: AttachedViewer): void {
    this.#viewers.add(viewer);
  }

  leave(viewer: AttachedViewer): void {
    this.#viewers.delete(viewer);
  }

  find(stream: string): AttachedViewer | undefined {
    return [...this.#viewers].find(({ grant }) => grant.stream === stream);
  }

  /** There is room for input again. Includes viewers whose daemon has died. */
  resumeInput(): void {
    for (const viewer of this.#viewers) {
      viewer.resumeInput();
    }
  }

  /** The viewers that have a name. */
  describe(): ViewerFacts[] {
    return [...this.#viewers].flatMap(({ grant }) => {
      const { stream, viewer_session: viewerSession } = grant;
      const inside = viewerSession === undefined ? {} : { viewer_session: viewerSession };
      return stream === undefined ? [] : [{ stream, mode: "interactive" as const, ...inside }];
    });
  }
}
