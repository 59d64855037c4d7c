import type { ResultOf } from "@pohunek/protocol";
import { command } from "../command-line/command.ts";
import { plainText } from "../output/plain-text.ts";
import { openTarget } from "../sessions/open-target.ts";
import { SESSION_ARGUMENT } from "./arguments.ts";

type Explanation = ResultOf<"session.explain">;
type Change = Explanation["history"][number];

const WORDS: Readonly<Record<string, string>> = { working: "Working", blocked: "Needs you", idle: "Ready" };
/** Changes that people are shown. */
const SHOWN_CHANGES = 8;

export const explain = command({
  name: "session explain",
  aliases: ["explain"],
  summary: "Say why a session is in its state, and what was rejected",
  arguments: [SESSION_ARGUMENT],
  flags: {},
  async run(context, { words }) {
    await using target = await openTarget(context, words[0]);
    const result = await target.client.call("session.explain", { session_id: target.sessionId });
    return { ok: result, human: () => describe(result) };
  },
});

function describe({ detector, current, sources, rules, history }: Explanation): string {
  const lines = [
    ...(current === undefined ? ["Nothing is known yet."] : describeCurrent(current)),
    `Judged by   ${plainText(detector)}`,
    ...section(
      "Other sources",
      sources.map(({ source, reason }) => `${source}: ${reason}`),
    ),
    ...section(
      "Rules",
      rules.map(({ rule, state, region, rejected }) => `${rule} (${state}, ${region}): ${rejected ?? "holds"}`),
    ),
    ...section("Last changes", history.slice(-SHOWN_CHANGES).map(describeChange)),
  ];
  return lines.map((line) => `${line}\n`).join("");
}

function describeCurrent(change: Change): string[] {
  const { activity, activity_detail: detail, at, revision } = change;
  const { evidence, question } = detail ?? {};
  const rows: readonly (readonly [name: string, value: string | undefined])[] = [
    ["State", [wordsOf(activity), detail?.kind].filter((part) => part !== undefined).join(", ")],
    ["Since", `${at}, revision ${revision}`],
    ["Source", evidence?.source ?? change.activity_source],
    ["Rule", evidence?.rule],
    ["Region", evidence?.region],
    ["Text", evidence?.matched_text],
    ["Says", detail?.text],
    ["Until", detail?.until],
    ["Question", question?.text],
    ...(question?.options ?? []).map(
      ({ key, label, selected }, index) => [selected ? "Selected" : "Option", `${key ?? index + 1}. ${label}`] as const,
    ),
  ];
  return rows.flatMap(([name, value]) =>
    value === undefined || value === "" ? [] : [`${name.padEnd(11)} ${plainText(value)}`],
  );
}

function describeChange({ at, activity, activity_detail: detail, activity_source: source }: Change): string {
  const evidence = [detail?.evidence?.source ?? source, detail?.evidence?.rule].filter((part) => part !== undefined);
  const kind = detail?.kind === undefined ? "" : ` (${detail.kind})`;
  return `${at}  ${wordsOf(activity)}${kind}  by ${evidence.join(" ")}`;
}

function wordsOf(activity: string | undefined): string {
  return activity === undefined ? "Unknown" : (WORDS[activity] ?? activity);
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ["", `${title}:`, ...lines.map((line) => `  ${plainText(line)}`)];
}
