import type { AdjustViewParams, ViewFacts } from "../worker-api/viewers.ts";

/** What a picture is cut from. */
export interface PictureSource {
  readonly cols: number;
  readonly rows: number;
  readonly cursor: { readonly row: number; readonly col: number };
}

interface Size {
  readonly cols: number;
  readonly rows: number;
}

/**
 * Which part of a session one viewer sees. On the `screen` it is a window that follows the cursor, moving no more than it
 * must, or stays where the viewer moved it; of the `text` it is the end, or what stands some rows above.
 */
export class PictureWindow {
  #layout: ViewFacts["layout"] = "screen";
  #isFollowing = true;
  #left = 0;
  #top = 0;
  /** Rows of text below the window. */
  #rowsBelow = 0;

  get layout(): ViewFacts["layout"] {
    return this.#layout;
  }

  get facts(): ViewFacts {
    return { layout: this.#layout, follow: this.#isFollowing };
  }

  /** `room`: how far the window can go. Moves are cut at once, so that none has to be taken back by another one. */
  adjust(params: Omit<AdjustViewParams, "stream">, room: Size): void {
    const { layout, follow: wanted, move_cols: cols = 0, move_rows: rows = 0 } = params;
    const hasMoved = cols !== 0 || rows !== 0;
    const isOther = layout !== undefined && layout !== this.#layout;
    this.#layout = layout ?? this.#layout;
    this.#isFollowing = wanted ?? (!hasMoved && (this.#isFollowing || isOther));
    this.#left = clamp(this.#left + cols, room.cols);
    this.#top = clamp(this.#top + rows, room.rows);
    this.#rowsBelow = this.#isFollowing ? 0 : Math.max(0, this.#rowsBelow - rows);
    // At the end of the text there is nothing to be held in view.
    this.#isFollowing ||= this.#layout === "text" && this.#rowsBelow === 0;
  }

  /** The corner of the window on the screen, after what happened there. */
  place(source: PictureSource, size: Size): { readonly left: number; readonly top: number } {
    if (this.#isFollowing) {
      this.#left = keepInView(this.#left, source.cursor.col, size.cols);
      this.#top = keepInView(this.#top, source.cursor.row, size.rows);
    }
    this.#left = clamp(this.#left, source.cols - size.cols);
    this.#top = clamp(this.#top, source.rows - size.rows);
    return { left: this.#left, top: this.#top };
  }

  /** Index of the first row in view of a text that takes so many rows. */
  placeText(textRows: number, rows: number): number {
    this.#rowsBelow = clamp(this.#rowsBelow, textRows - rows);
    return Math.max(0, textRows - rows - this.#rowsBelow);
  }

  /** Rows of text that have to be known to show the window. */
  textRowsWanted(rows: number): number {
    return rows + this.#rowsBelow;
  }
}

function keepInView(start: number, at: number, length: number): number {
  return Math.min(Math.max(start, at - length + 1), at);
}

function clamp(value: number, most: number): number {
  return Math.max(0, Math.min(value, most));
}
