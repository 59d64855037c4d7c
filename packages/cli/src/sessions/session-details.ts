import type { SessionInfo } from "@pohunek/protocol";
import { plainText } from "../output/plain-text.ts";
import { padTo } from "../output/text-width.ts";
import { lossWords, stateWords } from "./state-words.ts";

/** Everything about one session that people ask for, a line each. */
export function sessionDetails(session: SessionInfo): string {
  const { runtime } = session;
  const rows: readonly (readonly [string, string | number | undefined])[] = [
    ["name", session.name],
    ["id", session.id],
    ["state", stateWords(session).text],
    ["agent", session.agent],
    ["conversation", session.native_session_id ?? session.native_session_path],
    ["directory", session.cwd],
    ["branch", session.branch],
    ["size", `${session.cols} x ${session.rows}`],
    ["pid", session.pid],
    ["exit code", session.exit_code],
    ["created", session.created_at],
    ["updated", session.updated_at],
    ["runtime", runtime?.state],
    ["worker", runtime?.worker_instance_id],
    ["loss", runtime?.loss_reason === undefined ? undefined : lossWords(runtime.loss_reason)],
    ...Object.entries(session.metadata ?? {}).map(([key, value]) => [`meta ${key}`, value] as const),
    ...(session.warnings ?? []).map(({ kind, message }) => [`warning ${kind}`, message] as const),
  ];
  return detailLines(rows);
}

export function detailLines(rows: readonly (readonly [string, string | number | undefined])[]): string {
  const known = rows.filter(([, value]) => value !== undefined);
  const width = Math.max(...known.map(([title]) => title.length)) + 2;
  return known.map(([title, value]) => `${padTo(plainText(title), width)}${plainText(String(value))}\n`).join("");
}
