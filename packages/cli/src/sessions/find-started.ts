import type { ParamsOf, ResultOf, SessionInfo } from "@pohunek/protocol";
import type { ProtocolError } from "@pohunek/protocol/wire";
import { isProtocolError, protocolError } from "@pohunek/protocol/wire";
import { connectNext } from "../connection/connect-next.ts";
import type { CommandContext } from "../context.ts";
import { plainText } from "../output/plain-text.ts";
import { shellWord } from "../output/shell-word.ts";

interface CutStart {
  readonly params: ParamsOf<"session.new">;
  readonly startedAtMs: number;
  /** How the connection broke. */
  readonly error: ProtocolError;
}

const WHAT = "the daemon died while it started the session";

/**
 * The daemon died over a session.new. The next one, which is started for that, has finished the start or taken it back: the
 * session, or a failure that says which.
 */
export async function findStarted(context: CommandContext, cut: CutStart): Promise<ResultOf<"session.new">> {
  const program = context.settings.programName();
  const sessions = await listAfter(context, cut.error);
  const [made, ...others] = sessions.filter((session) => isMade(session, cut));
  if (made === undefined) {
    throw failure(cut.error, {
      message: `${WHAT}, and nothing was started; the daemon runs again`,
      recover: "Try it again.",
    });
  }
  if (others.length > 0) {
    throw failure(cut.error, {
      message: `${WHAT}; which of the new sessions it is can't be told`,
      recover: `${program} ls`,
    });
  }
  const name = plainText(made.name ?? made.id);
  if (cut.params.input !== undefined) {
    throw failure(cut.error, {
      message: `${WHAT}; "${name}" is there, but whether the text was typed into it is not known`,
      recover: `${program} attach ${shellWord(name)}`,
    });
  }
  if (!context.wantsJson) context.output.complain(`The daemon died and was started again; "${name}" was started.\n`);
  return made;
}

async function listAfter(context: CommandContext, error: ProtocolError): Promise<readonly SessionInfo[]> {
  try {
    await using client = await connectNext(context);
    return await client.call("session.list");
  } catch (cause) {
    if (!isProtocolError(cause)) throw cause;
    throw failure(error, {
      message: `${WHAT}, and whether it was started is not known: ${cause.message}`,
      recover: `${context.settings.programName()} ls`,
    });
  }
}

/** What is still starting is being taken back. */
function isMade(session: SessionInfo, { params, startedAtMs }: CutStart): boolean {
  const { name = "", name_clash: clash } = params;
  const rest = session.name?.startsWith(name) === true ? session.name.slice(name.length) : undefined;
  const isNamed = rest === "" || (clash === "number" && rest !== undefined && /^-\d+$/.test(rest));
  return isNamed && Date.parse(session.created_at) >= startedAtMs && session.state !== "starting";
}

function failure(cause: ProtocolError, told: { message: string; recover: string }): ProtocolError {
  return protocolError("daemon_unreachable", { ...told, cause });
}
