import type { DynamicColor, TerminalHeader } from "../engine/terminal-state.ts";

type Colors = Pick<TerminalHeader, "palette" | "foreground" | "background" | "cursorColor">;

/** The colours that the program gave its terminal: what to set (`4;1` an entry of the palette, `10` to `12`), and to what. */
export function colorSettings({
  palette,
  foreground,
  background,
  cursorColor,
}: Colors): [what: string, color: string][] {
  const settings: [string, string][] = [];
  for (const [index, color] of palette) settings.push([`4;${index}`, colorName(color)]);
  if (foreground !== undefined) settings.push(["10", colorName(foreground)]);
  if (background !== undefined) settings.push(["11", colorName(background)]);
  if (cursorColor !== undefined) settings.push(["12", colorName(cursorColor)]);
  return settings;
}

/** Bodies of the OSC that give a terminal all of its own colours back. */
export const COLOR_RESETS = ["104", "110", "111", "112"];

/** Body of the OSC that gives a terminal one of its own colours back. */
export function colorReset(what: string): string {
  return what.startsWith("4;") ? `10${what}` : `1${what}`;
}

function colorName({ red, green, blue }: DynamicColor): string {
  const hex = (value: number): string => value.toString(16).padStart(2, "0");
  return `rgb:${hex(red)}/${hex(green)}/${hex(blue)}`;
}
