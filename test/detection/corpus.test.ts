import { afterAll, describe, expect, test } from "bun:test";
import type { Miss } from "../../packages/host/src/detect/score.ts";
import { describeConfusion, emptyConfusion, score, TRUTHS, VERDICTS } from "../../packages/host/src/detect/score.ts";
import type { Labelled } from "./support/corpus.ts";
import { manifestOf, playRecording, readCorpus } from "./support/corpus.ts";

/** What no rule could do better, one line each: recording, kind of miss, what was going on. */
const KNOWN = {
  any: [
    // The agent takes its question from the screen 0.625 s after the key that answered it: 25 ms beyond the tolerance.
    "qwen-code-0.24.4-approval-80x24 false_blocked approved",
  ],
  /** When nobody tells that a prompt was sent: these agents show nothing of it for up to 1.4 s. */
  untold: [
    "codex-0.171.0-interrupt-80x24 false_ready submitted: mock:slow 30000 never",
    "codex-0.171.0-interrupt-80x24 late submitted: mock:slow 30000 never",
    "opencode-1.18.33-interrupt-80x24 false_ready submitted: mock:slow 30000 never",
    "opencode-1.18.33-interrupt-80x24 false_ready submitted: mock:long 100 200",
  ],
};

const corpus = readCorpus();

test("the corpus is all there", () => {
  expect(corpus.length).toBe(46);
});

const WAYS = [
  { name: "with what agents report (OSC 7501)", hearsStatus: true, submits: true, known: KNOWN.any },
  { name: "by title and screen alone", hearsStatus: false, submits: true, known: KNOWN.any },
  {
    name: "by title and screen alone, prompts typed by hand",
    hearsStatus: false,
    submits: false,
    known: [...KNOWN.any, ...KNOWN.untold],
  },
];

describe.each(WAYS)("$name", ({ name, hearsStatus, submits, known }) => {
  const total = emptyConfusion();
  const seen = new Set<string>();

  afterAll(() => {
    process.stdout.write(`\n${name}\n${describeConfusion(total)}\n`);
  });

  test.each(corpus.map((entry) => [entry.name, entry] as const))("%s", (_, entry) => {
    const { confusion, misses } = judge(entry, { hearsStatus, submits });
    for (const truth of TRUTHS) {
      for (const word of VERDICTS) total[truth][word] += confusion[truth][word];
    }
    const lines = misses.map((miss) => describeMiss(entry, miss));
    for (const line of lines) seen.add(line);
    expect(lines.filter((line) => !known.includes(line))).toEqual([]);
  });

  test("no miss is listed that does not happen any more", () => {
    expect(known.filter((line) => !seen.has(line))).toEqual([]);
  });
});

function judge({ runtime, recording, labels }: Labelled, way: { hearsStatus: boolean; submits: boolean }) {
  return score(playRecording(recording, { manifest: manifestOf(runtime), ...way }), labels);
}

function describeMiss({ name }: Labelled, { kind, note }: Miss): string {
  return `${name} ${kind} ${note}`;
}
