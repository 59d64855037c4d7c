import { seededRandom } from "./random.ts";

const CUTS = 40;
/** So many cuts each fall into a character of several bytes and into an escape sequence, where there are any. */
const SPECIAL = 10;
const ESC = 0x1b;

/** Where an output is cut: spread over all of it, some within characters and within sequences; the same ones every time. */
export function cutOffsets(output: Uint8Array, count = CUTS): number[] {
  const random = seededRandom(output.length);
  const inCharacters = positions(output, (byte) => byte >= 0x80 && byte < 0xc0);
  const inSequences = positions(output, (_, before) => before === ESC);
  const pick = (from: readonly number[]): number[] =>
    from.length === 0 ? [] : Array.from({ length: SPECIAL }, () => from[Math.floor(random() * from.length)] ?? 0);
  // Up to three bytes into the sequence.
  const special = [...pick(inCharacters), ...pick(inSequences).map((at) => at + Math.floor(random() * 3))];
  const spread = count - special.length;
  const others = Array.from({ length: spread }, (_, index) => ((index + random()) / spread) * output.length);
  return [...special, ...others.map(Math.floor)]
    .map((at) => Math.min(at, output.length))
    .sort((first, second) => first - second);
}

function positions(output: Uint8Array, isWanted: (byte: number, before: number) => boolean): number[] {
  const found: number[] = [];
  for (let at = 1; at < output.length; at += 1) if (isWanted(output[at] ?? 0, output[at - 1] ?? 0)) found.push(at);
  return found;
}
