import type { StreamId } from "@pohunek/protocol/wire";

interface View {
  readonly viewer: string;
  readonly target: string;
}

/**
 * Which sessions show which others: a client that runs inside session A and is attached to B makes A show B. A session
 * that would show itself, directly or through others, would feed its output to itself without end.
 */
export class ViewerGraph {
  readonly #views = new Map<StreamId, View>();

  /** True when `viewer` showing `target` would close a circle. */
  wouldLoop(viewer: string, target: string): boolean {
    const seen = new Set<string>();
    const reach = [target];
    for (let session = reach.pop(); session !== undefined; session = reach.pop()) {
      if (session === viewer) {
        return true;
      }
      if (!seen.has(session)) {
        seen.add(session);
        reach.push(...this.#shownBy(session));
      }
    }
    return false;
  }

  #shownBy(viewer: string): string[] {
    return [...this.#views.values()].filter((view) => view.viewer === viewer).map((view) => view.target);
  }

  add(streamId: StreamId, viewer: string, target: string): void {
    this.#views.set(streamId, { viewer, target });
  }

  remove(streamId: StreamId): void {
    this.#views.delete(streamId);
  }
}
