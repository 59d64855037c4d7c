import type { ParamsOf, ResultOf } from "@pohunek/protocol";
import {
  decodeUtf8,
  encodeLine,
  newRequestId,
  PROTOCOL_VERSION,
  parseJson,
  parseResponse,
} from "@pohunek/protocol/wire";
import type { CommandContext } from "../context.ts";
import { remoteHost } from "../sessions/target.ts";
import { findDaemonPlace } from "./runtime-root.ts";

/** Methods that only look: asking twice does no harm. */
type LookingMethod = "session.list" | "session.inspect" | "daemon.health";

/** A daemon answers such a question in a millisecond. One that does not is asked again by a client that can wait. */
const PATIENCE_MS = 500;
const LINE_FEED = 0x0a;

/**
 * The local daemon's answer to one question, without the client that a longer conversation needs: loading and setting that up
 * takes as long as the answer. Undefined whenever anything is out of the ordinary (no daemon, another version, a failure, an
 * answer in pieces of more than one line): then a proper client has to ask, which also knows how to tell what is wrong.
 */
export async function quickAnswer<Name extends LookingMethod>(
  context: CommandContext,
  method: Name,
  params: ParamsOf<Name>,
): Promise<ResultOf<Name> | undefined> {
  if (remoteHost(context.host) !== undefined) return undefined;
  const { settings } = context;
  const { socketPath } = await findDaemonPlace(settings, process.getuid?.() ?? 0);
  const v = { minimum: PROTOCOL_VERSION, maximum: PROTOCOL_VERSION };
  const id = newRequestId();
  const question = encodeLine({ v, id, method, params, ...settings.origin() });
  const line = await exchange(socketPath, question);
  const text = line === undefined ? undefined : decodeUtf8(line);
  const response = text === undefined ? undefined : parseResponse(parseJson(text)?.value);
  const isExpected = response?.v === PROTOCOL_VERSION && response.id === id && response.err === undefined;
  return isExpected ? (response.ok as ResultOf<Name>) : undefined;
}

/** Sends a line and returns the one that comes back, without its end; undefined when none does. */
function exchange(path: string, question: Uint8Array): Promise<Uint8Array | undefined> {
  return new Promise((resolve) => {
    const pieces: Uint8Array[] = [];
    const giveUp = (): void => resolve(undefined);
    // Not stopped by an answer: the program ends long before, or goes on with something that takes longer.
    setTimeout(giveUp, PATIENCE_MS).unref();
    Bun.connect({
      unix: path,
      socket: {
        open: (socket) => {
          // Larger than any socket buffer it is not; what does not fit at once is asked the proper way.
          if (socket.write(question) < question.length) giveUp();
        },
        data: (socket, chunk) => {
          const isWhole = chunk.at(-1) === LINE_FEED;
          pieces.push(isWhole ? chunk.subarray(0, -1) : Uint8Array.from(chunk));
          if (!isWhole) return;
          resolve(pieces.length === 1 ? pieces[0] : Buffer.concat(pieces));
          socket.end();
        },
        close: giveUp,
        error: giveUp,
        connectError: giveUp,
      },
    }).catch(giveUp);
  });
}
