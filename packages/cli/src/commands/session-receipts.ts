import type { InputReceipt } from "@pohunek/protocol";
import { isOpaqueId, LIMITS } from "@pohunek/protocol/wire";
import { command } from "../command-line/command.ts";
import { usageError } from "../command-line/usage-error.ts";
import { connectHost } from "../connection/connect-host.ts";
import { ageText } from "../output/age.ts";
import { plainText } from "../output/plain-text.ts";
import type { Cell, Column } from "../output/table.ts";
import { layOutTable } from "../output/table.ts";
import { tableLook } from "../output/table-look.ts";
import { openTarget } from "../sessions/open-target.ts";
import { inputStateText } from "../sessions/receipt-words.ts";

const COLUMNS: readonly Column[] = [
  { title: "AGE", minimum: 4 },
  { title: "INPUT", minimum: 12 },
  { title: "SESSION", minimum: 12 },
  { title: "KIND", minimum: 7 },
  { title: "BYTES", minimum: 5 },
  { title: "STATE", minimum: 12 },
];

export const sessionReceipts = command({
  name: "session receipts",
  aliases: ["receipts"],
  summary: "Show what came of the inputs of a session, or of all",
  details: ["Inputs to agents have receipts, and those that were sent with --id. They are kept for a day."],
  arguments: [
    { name: "session", summary: "Its name, or the beginning of its id", isOptional: true, completes: "session" },
    { name: "input", summary: "The id of one input", isOptional: true },
  ],
  flags: {
    limit: { type: "integer", value: "N", range: [1, LIMITS.inputReceipts], summary: "How many at most (default 50)" },
  },
  async run(context, { words: [session, input], flags: { limit } }) {
    if (input !== undefined && !isOpaqueId(input)) throw usageError("an input id is of letters, digits and - _ . :");
    await using target = session === undefined ? undefined : await openTarget(context, session);
    await using ownClient = target === undefined ? await connectHost(context) : undefined;
    const client = target?.client ?? ownClient;
    const result = await client?.call("session.input_status", {
      ...(target === undefined ? {} : { session_id: target.sessionId }),
      ...(input === undefined ? {} : { input_id: input }),
      ...(limit === undefined ? {} : { limit }),
    });
    const receipts = result?.receipts ?? [];
    return { ok: { receipts }, human: () => receiptLines(receipts, tableLook(context)) };
  },
});

function receiptLines(receipts: readonly InputReceipt[], look: ReturnType<typeof tableLook>): string {
  if (receipts.length === 0) return "no receipts\n";
  const rows = receipts.map((receipt): Cell[] => [
    { text: ageText(Date.parse(receipt.created_at), look.nowMs) },
    { text: plainText(receipt.input_id) },
    { text: plainText(receipt.session_id) },
    { text: plainText(receipt.kind) },
    { text: String(receipt.bytes) },
    { text: inputStateText(receipt) },
  ]);
  return `${layOutTable(COLUMNS, rows, look).join("\n")}\n`;
}
