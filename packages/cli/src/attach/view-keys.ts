/** What a client of mode `view` may ask for; `view` of session.resize. */
export interface ViewChange {
  readonly layout?: "screen" | "text";
  readonly follow?: boolean;
  readonly move_cols?: number;
  readonly move_rows?: number;
}

export type ViewKey = ViewChange | "leave" | "toggle-layout";

/** Beyond any edge. */
const FAR = 1_000_000;
/** Rows are read one by one, columns are not. */
const STEP = { cols: 4, rows: 1 };

/** Names of the keys that terminals tell by a sequence, by what stands behind `ESC [` or `ESC O`. */
const SEQUENCES: Readonly<Record<string, string>> = {
  A: "up",
  B: "down",
  C: "right",
  D: "left",
  H: "home",
  F: "end",
  "1~": "home",
  "4~": "end",
  "5~": "page-up",
  "6~": "page-down",
};

const KEYS: Readonly<Record<string, ViewKey>> = {
  up: { move_rows: -STEP.rows },
  down: { move_rows: STEP.rows },
  left: { move_cols: -STEP.cols },
  right: { move_cols: STEP.cols },
  home: { move_cols: -FAR },
  end: { move_cols: FAR },
  k: { move_rows: -STEP.rows },
  j: { move_rows: STEP.rows },
  h: { move_cols: -STEP.cols },
  l: { move_cols: STEP.cols },
  "0": { move_cols: -FAR },
  $: { move_cols: FAR },
  g: { move_rows: -FAR },
  G: { move_rows: FAR },
  f: { follow: true },
  t: "toggle-layout",
  q: "leave",
};

const KEY = /\x1b(?:\[[0-?]*[ -/]*[@-~]|O[@-~]|[^[O])?|[^\x1b]/gu;

/** The keys of a viewer in what was typed; what is none is nothing. `rows` is the height of a page. */
export function readViewKeys(bytes: Uint8Array, rows: number): ViewKey[] {
  const page = Math.max(1, rows - 1);
  const pages: Readonly<Record<string, ViewKey>> = {
    "page-up": { move_rows: -page },
    "page-down": { move_rows: page },
  };
  return [...Buffer.from(bytes).toString("utf8").matchAll(KEY)].flatMap(([typed]) => {
    const name = typed.startsWith("\x1b") ? (SEQUENCES[typed.slice(2)] ?? "") : typed;
    const key = pages[name] ?? (Object.hasOwn(KEYS, name) ? KEYS[name] : undefined);
    return key === undefined ? [] : [key];
  });
}

/** One change for several: moves add up until something else is asked for. */
export function mergeChanges(first: ViewChange, second: ViewChange): ViewChange {
  if (second.follow === true || second.layout !== undefined) return { ...first, move_cols: 0, move_rows: 0, ...second };
  const { follow: _follow, ...kept } = first;
  const moves = {
    move_cols: cut((first.move_cols ?? 0) + (second.move_cols ?? 0)),
    move_rows: cut((first.move_rows ?? 0) + (second.move_rows ?? 0)),
  };
  return { ...kept, ...moves };
}

function cut(move: number): number {
  return Math.max(-FAR, Math.min(move, FAR));
}
