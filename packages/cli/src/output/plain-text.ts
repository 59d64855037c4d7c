/** C1 controls, and the marks that reorder or hide text around them (bidirectional controls, zero width, BOM). */
const MARKS = String.raw`\u007f-\u009f\u00ad\u061c\u180e\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}`;
/** U+200D stays where it joins emoji. */
const LONE_JOINER = String.raw`\u200d(?!\p{Extended_Pictographic})`;
const UNSAFE = new RegExp(String.raw`[\u0000-\u001f${MARKS}]|${LONE_JOINER}`, "gu");
/** All but tab and line feed. */
const UNSAFE_BUT_LINES = new RegExp(String.raw`[\u0000-\u0008\u000b-\u001f${MARKS}]|${LONE_JOINER}`, "gu");

/**
 * Text of another program (a name, a title, a path, a message) made safe to print on one line of a terminal: no control
 * character reaches it.
 */
export function plainText(text: string): string {
  // Nearly all names and paths are plain already.
  if (!/[^ -~]/.test(text)) return text;
  return text.replaceAll(/[\t\r\n]+/g, " ").replaceAll(UNSAFE, "");
}

/** The same for text that may have several lines, such as a screen. */
export function plainLines(text: string): string {
  return text.replaceAll(UNSAFE_BUT_LINES, "");
}
