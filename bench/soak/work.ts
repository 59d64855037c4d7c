/** What a session of the soak does. Each prints its numbers in a way of its own; none keeps a core busy. */
export interface Work {
  readonly name: string;
  readonly argv: readonly string[];
  /** Its history and its screen are lines in order, so that an attached client can be checked as well. */
  readonly isScrolling: boolean;
}

const shell = (script: string): readonly string[] => ["/bin/sh", "-c", script];
const WIDE = "0".repeat(140);

const counting = (print: string, every: number, pause: number): readonly string[] =>
  shell(`i=0; while :; do i=$((i + 1)); ${print}; if [ $((i % ${every})) = 0 ]; then sleep ${pause}; fi; done`);

export const WORKS: readonly Work[] = [
  { name: "drip", argv: counting('echo "#$i."', 20, 1), isScrolling: true },
  { name: "bursts", argv: counting('echo "#$i. and the rest of a line"', 2_000, 3), isScrolling: true },
  {
    name: "wide",
    argv: counting(`printf '\\033[3%dm#%d.\\033[m ${WIDE}\\n' $((i % 8)) $i`, 100, 1),
    isScrolling: true,
  },
  {
    name: "frames",
    argv: counting(
      `[ $((i % 60)) = 1 ] && printf '\\033[?1049h'; printf '\\033[%d;5H#%d.\\033[K' $((i % 20 + 1)) $i; [ $((i % 60)) = 0 ] && printf '\\033[?1049l'`,
      20,
      1,
    ),
    isScrolling: false,
  },
  { name: "idle", argv: ["sleep", "1000000"], isScrolling: true },
];

/** Prints so many numbered lines and ends with 7. */
export function shortWork(lines: number): readonly string[] {
  return shell(`i=0; while [ $i -lt ${lines} ]; do i=$((i + 1)); echo "#$i. ${"x".repeat(100)}"; done; exit 7`);
}

/** Prints what it is sent. */
export const ECHOES: readonly string[] = shell("stty -echo -icanon; echo ready; exec cat");
