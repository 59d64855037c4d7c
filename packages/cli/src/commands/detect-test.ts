import { isRecord, protocolError } from "@pohunek/protocol/wire";
import { command } from "../command-line/command.ts";
import { usageError } from "../command-line/usage-error.ts";
import { findDaemonPlace } from "../connection/runtime-root.ts";
import { daemonCommand, failureIn } from "../connection/start-daemon.ts";
import type { CommandContext } from "../context.ts";
import { plainText } from "../output/plain-text.ts";

interface Report {
  readonly timeline: readonly {
    readonly at: number;
    readonly activity: string;
    readonly detail?: {
      readonly kind?: string;
      readonly question?: { readonly text: string; readonly options: readonly { readonly label: string }[] };
      readonly evidence: { readonly source: string; readonly rule?: string; readonly matchedText?: string };
    };
  }[];
  readonly score?: {
    readonly confusion: Readonly<Record<string, Readonly<Record<string, number>>>>;
    readonly misses: readonly {
      readonly kind: string;
      readonly atMs: number;
      readonly truth: string;
      readonly told: string;
      readonly note: string;
    }[];
  };
}

/** Misses that people are shown. */
const SHOWN_MISSES = 20;
const EXIT_MISSES = 1;

export const detectTest = command({
  name: "detect test",
  summary: "Play a recording of an agent against its rules",
  details: [
    "RECORDING is an asciicast of version 2, as asciinema makes it; it may be compressed with gzip or zstd. A recorded Enter counts as a prompt that was sent.",
    "LABELS is a JSON file with what was true: { labels: [{ from, to, state }] }, in seconds. With it the command prints a comparison, and exits with 1 when something was missed.",
  ],
  arguments: [{ name: "RECORDING", summary: "File to play" }],
  flags: {
    manifest: { type: "text", value: "FILE", summary: "A detection.toml" },
    agent: { type: "text", value: "NAME", summary: "The rules of an agent or profile of this host" },
    labels: { type: "text", value: "FILE", summary: "What was true, to compare with" },
    withoutReports: { type: "switch", summary: "Do not hear what the agent reports by itself (OSC 7501)" },
  },
  async run(context, { words, flags }) {
    const { manifest, agent, labels } = flags;
    if ((manifest === undefined) === (agent === undefined)) {
      throw usageError("say either --manifest FILE or --agent NAME");
    }
    const args = [
      `--recording=${words[0]}`,
      ...(manifest === undefined ? [] : [`--manifest=${manifest}`]),
      ...(agent === undefined ? [] : [`--agent=${agent}`]),
      ...(labels === undefined ? [] : [`--labels=${labels}`]),
      ...(flags.withoutReports ? ["--without-reports"] : []),
    ];
    const report = await play(context, args);
    const hasMisses = (report.score?.misses.length ?? 0) > 0;
    return { ok: report, human: () => describe(report), exitCode: hasMisses ? EXIT_MISSES : 0 };
  },
});

/** The host's own program plays it: the command line has no terminal engine. */
async function play(context: CommandContext, args: readonly string[]): Promise<Report> {
  const place = await findDaemonPlace(context.settings, process.getuid?.() ?? 0);
  // The paths are those of the caller's own folder.
  const start = { ...daemonCommand(context, place, {}), cwd: context.settings.cwd };
  const program = Bun.spawn([process.execPath, "detect-test", ...args], {
    ...start,
    stdin: "ignore",
    stderr: "pipe",
  });
  const [said, complaint] = await Promise.all([
    new Response(program.stdout).text(),
    new Response(program.stderr).text(),
    program.exited,
  ]);
  if (program.exitCode !== 0) {
    throw protocolError("bad_request", failureIn(complaint.trimEnd()));
  }
  const report: unknown = JSON.parse(said);
  if (!isRecord(report) || !Array.isArray(report["timeline"])) {
    throw protocolError("internal_error", { message: "the host's program gave no timeline" });
  }
  return report as unknown as Report;
}

function describe({ timeline, score }: Report): string {
  const lines = timeline.flatMap(({ at, activity, detail }) => {
    const { source, rule, matchedText } = detail?.evidence ?? { source: "" };
    const state = [activity, detail?.kind].filter((part) => part !== undefined).join(", ");
    const why = [source, rule].filter((part) => part !== undefined).join(" ");
    const found = matchedText === undefined || matchedText === "" ? "" : `  ${JSON.stringify(matchedText)}`;
    const question = detail?.question;
    const asks =
      question === undefined ? [] : [`${" ".repeat(10)}asks ${JSON.stringify(question.text)}: ${optionsOf(question)}`];
    return [`${at.toFixed(2).padStart(8)}  ${state.padEnd(20)}  ${why}${found}`, ...asks];
  });
  return [...lines, ...(score === undefined ? [] : describeScore(score))]
    .map((line) => `${plainText(line)}\n`)
    .join("");
}

function optionsOf({ options }: { readonly options: readonly { readonly label: string }[] }): string {
  return options.map(({ label }) => label).join(" | ");
}

function describeScore({ confusion, misses }: NonNullable<Report["score"]>): string[] {
  const words = Object.keys(confusion["working"] ?? {});
  const cell = (text: string | number): string => String(text).padStart(9);
  return [
    "",
    ["true", "told:", ...words].map(cell).join(""),
    ...Object.entries(confusion).map(
      ([truth, told]) => cell(truth) + cell("") + words.map((word) => cell(told[word] ?? 0)).join(""),
    ),
    "",
    misses.length === 0 ? "Nothing was missed." : `${misses.length} misses:`,
    ...misses
      .slice(0, SHOWN_MISSES)
      .map(
        ({ kind, atMs, truth, told, note }) =>
          `${(atMs / 1000).toFixed(2).padStart(8)}  ${kind}: ${truth}, told ${told} (${note})`,
      ),
  ];
}
