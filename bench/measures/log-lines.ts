const WORDS =
  "error warn info request session worker attach detach stream bytes timeout retry client server socket relay".split(
    " ",
  );
const LEVELS = ["INFO", "WARN", "DEBUG"];
/** The text repeats after so many lines; making each anew would take longer than the measurement. */
const DIFFERENT_LINES = 20_000;

/** A small linear congruential generator: the same text in every run. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Log text of exactly so many bytes, ASCII, lines of 60 to 180 characters. */
export function logLines(bytes: number): string {
  const pick = numbers(7);
  const line = (index: number): string => {
    const words = Array.from({ length: 4 + pick(13) }, () => WORDS[pick(WORDS.length)]).join(" ");
    const time = new Date(Date.UTC(2030, 0, 1) + index * 17).toISOString();
    return `${time} [${LEVELS[pick(LEVELS.length)]}] pid=${100 + pick(9_900)} ${words} took=${1 + pick(9_999)}ms\n`;
  };
  const block = Array.from({ length: DIFFERENT_LINES }, (_, index) => line(index)).join("");
  return `${block.repeat(Math.ceil(bytes / block.length)).slice(0, bytes - 1)}\n`;
}
