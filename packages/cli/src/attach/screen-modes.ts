import { KeyboardStack } from "./keyboard-stack.ts";
import type { SavedText } from "./text-state.ts";

/** What terminals keep for each of their screens; region and shape some have once for both. */
export class ScreenModes {
  readonly keyboard = new KeyboardStack();
  saved: SavedText | undefined;
  hasRegion = false;
  hasShape = false;

  /** The other screen is left: where there is one region and one shape for both, they are now this screen's. */
  inherit(left: ScreenModes): void {
    this.hasRegion ||= left.hasRegion;
    this.hasShape ||= left.hasShape;
    left.hasRegion = false;
    left.hasShape = false;
  }

  reset(): void {
    this.keyboard.restore();
    this.saved = undefined;
    this.hasRegion = false;
    this.hasShape = false;
  }

  restoreRegion(): string {
    const had = this.hasRegion;
    this.hasRegion = false;
    // Setting the region moves the cursor home.
    return had ? "\x1b7\x1b[r\x1b8" : "";
  }
}
