const ELLIPSIS = "…";

/** Columns that a text takes on a terminal. */
export function textWidth(text: string): number {
  return Bun.stringWidth(text);
}

/** Cuts text to a width, with an ellipsis where something is missing at the end. */
export function cutEnd(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  if (width <= 0) return "";
  return `${takeColumns(text, width - 1)}${ELLIPSIS}`;
}

/** Cuts text to a width in its middle, where both ends say the most. */
export function cutMiddle(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  if (width < 3) return cutEnd(text, width);
  const head = Math.floor((width - 1) / 2);
  const characters = [...text].reverse().join("");
  const tail = [...takeColumns(characters, width - 1 - head)].reverse().join("");
  return `${takeColumns(text, head)}${ELLIPSIS}${tail}`;
}

/** Fills text with spaces up to a width. */
export function padTo(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - textWidth(text)));
}

function takeColumns(text: string, width: number): string {
  let taken = "";
  let used = 0;
  for (const character of text) {
    const columns = textWidth(character);
    if (used + columns > width) break;
    taken += character;
    used += columns;
  }
  return taken;
}
