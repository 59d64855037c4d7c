import { encodeUtf8, isProtocolError } from "@pohunek/protocol/wire";
import type { PeerIdentity } from "../../platform/index.ts";
import type { HookLine } from "../../worker-api/hooks.ts";
import { parseHookLine } from "../../worker-api/hooks.ts";
import type { HookVerdict } from "./hook-desk.ts";

/** Answers one line of a hook. */
export function answerHookLine(
  value: unknown,
  take: (line: HookLine, peer: PeerIdentity | undefined) => HookVerdict,
  peer: PeerIdentity | undefined,
): Uint8Array {
  const verdict = judge(value, take, peer);
  const answer = verdict.ok
    ? { ok: true, launch_identity_accepted: verdict.isIdentity }
    : { ok: false, launch_identity_accepted: false, code: verdict.code };
  return encodeUtf8(`${JSON.stringify(answer)}\n`);
}

function judge(
  value: unknown,
  take: (line: HookLine, peer: PeerIdentity | undefined) => HookVerdict,
  peer: PeerIdentity | undefined,
): HookVerdict | { readonly ok: false; readonly code: "malformed" } {
  try {
    return take(parseHookLine(value), peer);
  } catch (cause) {
    if (isProtocolError(cause, "worker_invalid_request")) {
      return { ok: false, code: "malformed" };
    }
    throw cause;
  }
}
