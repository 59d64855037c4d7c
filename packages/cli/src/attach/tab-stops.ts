const TAB_WIDTH = 8;

/** The terminal's tab stops, as far as sequences tell them: those that are set right after a move to a known column. */
export class TabStops {
  /** Undefined while they are a terminal's own; "unknown" once one was set at a place that nobody told. */
  #columns: Set<number> | "unknown" | undefined;
  #column: number | undefined;

  /** The cursor was moved to this column (from 1) by the sequence just seen, or to an unknown place. */
  moveTo(column: number | undefined): void {
    this.#column = column;
  }

  clearAll(): void {
    this.#columns = new Set();
  }

  clearOne(): void {
    this.#columns = "unknown";
  }

  set(): void {
    if (this.#columns === undefined || this.#columns === "unknown" || this.#column === undefined)
      this.#columns = "unknown";
    else this.#columns.add(this.#column);
  }

  reset(): void {
    this.#columns = undefined;
  }

  /** What puts every eighth column back; nothing where they are there. Keeps the cursor. */
  restore(width: number): string {
    const columns = this.#columns;
    this.#columns = undefined;
    if (columns === undefined) return "";
    const normal = Array.from(
      { length: Math.floor((width - 1) / TAB_WIDTH) },
      (_, index) => (index + 1) * TAB_WIDTH + 1,
    );
    if (columns !== "unknown" && columns.size === normal.length && normal.every((column) => columns.has(column)))
      return "";
    return `\x1b7\x1b[3g${normal.map((column) => `\x1b[${column}G\x1bH`).join("")}\x1b8`;
  }
}
