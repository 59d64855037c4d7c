import type { WindowSize } from "../platform/index.ts";
import type { ResizeParams, ResizeResult } from "../worker-api/operations.ts";
import type { ViewerFacts } from "../worker-api/viewers.ts";
import type { AttachedViewer } from "./attached-viewer.ts";
import { InputGate } from "./input-gate.ts";

/** 0 keeps what it was. */
const UNCHANGED: WindowSize = { cols: 0, rows: 0 };

export interface ViewerRollOptions {
  /** Gives the session this size, within its limits. */
  readonly resize: (size: WindowSize) => ResizeResult;
  /** Passes input on to the program. The bytes are only lent. */
  readonly type: (bytes: Uint8Array) => void;
}

/**
 * Who is attached to a session, and whose size it has: the viewer's that attached, typed or was resized last, both sides of
 * it. One whose size is not known or of no use leaves the size as it is; one that only looks never changes it. When the
 * owner leaves, the size goes to the one that was active before it.
 */
export class ViewerRoll implements Disposable {
  /** Through which all input to the program goes. */
  readonly gate: InputGate;
  readonly #resize: ViewerRollOptions["resize"];
  readonly #viewers = new Set<AttachedViewer>();
  /** The interactive ones, the owner of the size last. */
  #active: AttachedViewer[] = [];

  constructor({ resize, type }: ViewerRollOptions) {
    this.#resize = resize;
    this.gate = new InputGate({ write: type, onRoom: () => this.resumeInput() });
  }

  /** Comes before the viewer is shown anything. */
  join(viewer: AttachedViewer): void {
    if (viewer.isInteractive && viewer.size) {
      this.#activate(viewer);
    } else if (viewer.isInteractive) {
      this.#active.unshift(viewer);
    }
    this.#viewers.add(viewer);
  }

  leave(viewer: AttachedViewer): void {
    const wasOwner = this.#owner === viewer;
    this.#viewers.delete(viewer);
    this.#active = this.#active.filter((each) => each !== viewer);
    const next = this.#active.findLast(({ size }) => size !== undefined);
    if (wasOwner && next) {
      this.#activate(next);
    }
  }

  get count(): number {
    return this.#viewers.size;
  }

  /**
   * Whether a viewer can be shown the output as it is. One that owns the size can, even where the session's limits cut it, and
   * so can one of which nothing is known.
   */
  isFitting(viewer: AttachedViewer): boolean {
    const { cols, rows } = this.#resize(UNCHANGED);
    const { size } = viewer;
    return !size || viewer === this.#owner || (size.cols === cols && size.rows === rows);
  }

  typed(viewer: AttachedViewer): void {
    if (this.#owner !== viewer) {
      this.#activate(viewer);
    }
  }

  /** The terminal of a viewer has another size; without a name, somebody wants the session to have it. */
  resize({ cols, rows, stream }: ResizeParams): ResizeResult {
    const size = { cols, rows };
    const viewer = stream === undefined ? this.#owner : this.find(stream);
    viewer?.resize(size);
    if (stream === undefined) {
      // Most likely the owner's client, which knows no names; so the size stays when that one types.
      return this.#setSize(size);
    }
    return viewer?.isInteractive && viewer.size ? this.#activate(viewer) : this.#setSize(UNCHANGED);
  }

  find(stream: string): AttachedViewer | undefined {
    return [...this.#viewers].find(({ grant }) => grant.stream === stream);
  }

  /** There may be room for input again. Includes viewers whose daemon has died. */
  resumeInput(): void {
    for (const viewer of this.#viewers) {
      viewer.resumeInput();
    }
  }

  /** Viewers whose terminals answer the program's queries. */
  get interactiveCount(): number {
    return this.#active.length;
  }

  /** The viewers that have a name. */
  describe(): ViewerFacts[] {
    return [...this.#viewers].flatMap(({ grant, mode }) => {
      const { stream, viewer_session: viewerSession } = grant;
      const inside = viewerSession === undefined ? {} : { viewer_session: viewerSession };
      return stream === undefined ? [] : [{ stream, mode, ...inside }];
    });
  }

  get #owner(): AttachedViewer | undefined {
    return this.#active.at(-1);
  }

  #activate(viewer: AttachedViewer): ResizeResult {
    this.#active = [...this.#active.filter((each) => each !== viewer), viewer];
    return this.#setSize(viewer.size ?? UNCHANGED);
  }

  #setSize(size: WindowSize): ResizeResult {
    const result = this.#resize(size);
    for (const viewer of this.#viewers) {
      viewer.fit(this.isFitting(viewer));
    }
    return result;
  }

  [Symbol.dispose](): void {
    this.gate[Symbol.dispose]();
  }
}
