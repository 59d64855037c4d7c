export type Colour = "red" | "green" | "yellow" | "cyan" | "dim" | "bold";

const CODES: Readonly<Record<Colour, readonly [on: number, off: number]>> = {
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
  dim: [2, 22],
  bold: [1, 22],
};

/** Colours text, or returns it as it is where colours are not wanted. */
export type Paint = (colour: Colour, text: string) => string;

export const paintNothing: Paint = (_colour, text) => text;

export const paintAnsi: Paint = (colour, text) => {
  const [on, off] = CODES[colour];
  return text === "" ? "" : `\x1b[${on}m${text}\x1b[${off}m`;
};

/** What decides about colour. */
export interface ColourChoice {
  readonly isTerminal: boolean;
  readonly noColor: string | undefined;
  readonly forceColor: string | undefined;
  readonly term: string | undefined;
}

/** NO_COLOR wins over everything, FORCE_COLOR over the terminal's absence (https://no-color.org, https://force-color.org). */
export function choosePaint(choice: ColourChoice): Paint {
  if (choice.noColor !== undefined && choice.noColor !== "") return paintNothing;
  if (choice.forceColor !== undefined && choice.forceColor !== "" && choice.forceColor !== "0") return paintAnsi;
  return choice.isTerminal && choice.term !== "dumb" ? paintAnsi : paintNothing;
}
