import type { SessionInfo } from "@pohunek/protocol";
import type { SessionId } from "@pohunek/protocol/wire";
import type { Client } from "@pohunek/sdk";
import { connectHost } from "../connection/connect-host.ts";
import type { CommandContext } from "../context.ts";
import { findSession, isFullSessionId, parseTarget } from "./target.ts";

/** A session that a command was pointed at, with the connection to its host. */
export interface OpenTarget extends AsyncDisposable {
  readonly client: Client;
  readonly sessionId: SessionId;
  /** How the user knows it. */
  readonly label: string;
  /** What it runs; undefined where its whole id was given, which costs no search. */
  readonly agent: string | undefined;
}

/** Connects to the host of a target and finds the session there. A whole id costs no search. */
export async function openTarget(
  context: CommandContext,
  text: string | undefined,
  options: { readonly requestTimeoutMs?: number } = {},
): Promise<OpenTarget> {
  const target = parseTarget(text ?? "", context.host);
  const client = await connectHost(context, { host: target.host, ...options });
  if (isFullSessionId(target.session)) return targetOf(client, { id: target.session });
  try {
    return targetOf(client, findSession(await client.call("session.list"), target.session));
  } catch (error) {
    await client.close();
    throw error;
  }
}

export function targetOf(client: Client, session: Pick<SessionInfo, "id"> & Partial<SessionInfo>): OpenTarget {
  return {
    client,
    sessionId: session.id,
    label: session.name ?? session.id,
    agent: session.agent,
    [Symbol.asyncDispose]: () => client.close(),
  };
}
