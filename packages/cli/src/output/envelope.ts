import type { WireError } from "@pohunek/protocol/wire";
import { SUPPORTED_VERSIONS } from "@pohunek/protocol/wire";
import { CLI_VERSION } from "../version.ts";

/** The one document that `--json` prints. */
export type Envelope = EnvelopeHead &
  ({ readonly ok: unknown } | { readonly err: WireError & { readonly host?: string } });

interface EnvelopeHead {
  readonly cli_version: string;
  readonly protocol: { readonly minimum: number; readonly maximum: number };
}

function head(): EnvelopeHead {
  return { cli_version: CLI_VERSION, protocol: { ...SUPPORTED_VERSIONS } };
}

export function successDocument(ok: unknown): string {
  return print({ ...head(), ok: ok ?? null });
}

export function failureDocument(err: WireError & { readonly host?: string }): string {
  return print({ ...head(), err });
}

function print(envelope: Envelope): string {
  return `${JSON.stringify(envelope, undefined, 2)}\n`;
}
