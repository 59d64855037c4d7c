import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ErrorRow } from "@pohunek/protocol/wire";
import { ERROR_CLASSES, errorTable } from "@pohunek/protocol/wire";
import { table } from "./marked-sections.ts";

const SOURCES = ["packages/*/src/**/*.ts", "scripts/binary.ts"];
/** Where codes are listed or asked for, not produced. */
const NOT_PRODUCING = /packages\/protocol\/src\/wire\/errors|\.test\.ts$/;
const QUOTED = /"([a-z][a-z0-9_]+)"/g;
const ASKED_FOR = /isProtocolError\([^)]*\)|code [=!]== "[a-z0-9_]+"/g;

const INTRODUCTION = `# Error codes

Made from the error table of packages/protocol by \`npm run docs\`; change the table, not this page.

Every failure has a class, a code, a sentence for people and often a next step. Programs branch on class and code, never
on the sentence, and show codes that they do not know: the set is open. A code is **produced today** when the sources of
this release name it; the others are reserved for what the protocol describes and this release does not do yet.
*retry* means that the same request may succeed later without anything else being changed. *exit* is the exit code of a
command that ends with the error. Codes marked *ours* are additions of this implementation.

\`<overlay>\` stands for the name of a private overlay, such as \`netbird\`.
`;

const CLASS_SENTENCES: Record<(typeof ERROR_CLASSES)[number], string> = {
  configuration: "Something that the owner set up is missing or invalid.",
  daemon: "The daemon itself: malformed requests, versions, rights, its own state.",
  transport: "The way to the daemon.",
  runtime: "Sessions, workers, agents, projects, notifications: what the daemon runs.",
  discovery: "Finding other hosts.",
};

/** The codes that the sources name outside the table itself. */
function producedCodes(root: string): ReadonlySet<string> {
  const files = globSync(SOURCES, { cwd: root }).filter((file) => !NOT_PRODUCING.test(file));
  if (files.length === 0) throw new Error("there are no sources to look for error codes in");
  const texts = files.map((file) => readFileSync(join(root, file), "utf8").replaceAll(ASKED_FOR, ""));
  return new Set(texts.flatMap((text) => [...text.matchAll(QUOTED)].map((match) => match[1] ?? "")));
}

function shownCode(code: string): string {
  return code.replace(/^overlay(?=_(?:cli_missing|state_unavailable|listener_address_missing)$)/, "<overlay>");
}

function whereOf(row: ErrorRow): string {
  return [row.side ?? "", row.isOurs === true ? "ours" : ""].filter((word) => word !== "").join(", ");
}

/** docs/errors.md. */
export function renderErrorsPage(root: string): string {
  const produced = producedCodes(root);
  const sections = ERROR_CLASSES.map((errorClass) => {
    const rows = Object.entries(errorTable())
      .filter(([, row]) => row.class === errorClass)
      .map(([code, row]) => [
        `\`${shownCode(code)}\``,
        row.sentence,
        row.hint ?? "",
        row.retryable ? "yes" : "",
        String(row.exitCode),
        whereOf(row),
        produced.has(code) ? "yes" : "",
      ]);
    const head = ["code", "sentence", "next step", "retry", "exit", "", "produced today"];
    return `## ${errorClass}\n\n${CLASS_SENTENCES[errorClass]}\n\n${table(head, rows)}\n`;
  });
  return [INTRODUCTION, ...sections].join("\n");
}
