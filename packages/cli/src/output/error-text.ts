import type { ProtocolError, WireError } from "@pohunek/protocol/wire";
import { errorRow, isProtocolError } from "@pohunek/protocol/wire";
import type { Paint } from "./colour.ts";
import { plainText } from "./plain-text.ts";

/** A failure as a person reads it: one sentence, the code, and the next step where one is known. */
export function errorText(error: ProtocolError, paint: Paint): string {
  const host = error.host === undefined ? "" : `${plainText(error.host)}: `;
  const sentence = plainText(error.message).replace(/[.\s]+$/, "");
  const lines = [`${paint("red", "pohunek:")} ${host}${sentence} ${paint("dim", `(${plainText(error.code)})`)}`];
  if (error.recover !== undefined && error.recover !== "") lines.push(`  next: ${plainText(error.recover)}`);
  return `${lines.join("\n")}\n`;
}

/** The same failure for `--json`, with the host that it happened on. */
export function errorDocument(error: ProtocolError): WireError & { readonly host?: string } {
  const wire = error.toWire();
  return error.host === undefined ? wire : { ...wire, host: error.host };
}

export function exitCodeOf(error: unknown): number {
  return isProtocolError(error) ? (errorRow(error.code)?.exitCode ?? 1) : 1;
}
