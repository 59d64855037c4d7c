import type { ProtocolError } from "@pohunek/protocol/wire";
import {
  decodeUtf8,
  encodeLine,
  LineDecoder,
  newRequestId,
  parseJson,
  parseResponse,
  protocolError,
  SUPPORTED_VERSIONS,
} from "@pohunek/protocol/wire";
import { unixTransport } from "./unix-transport.ts";

/** A daemon that refuses a version does so at once. */
const ANSWER_TIMEOUT_MS = 1_000;

/**
 * Says which of the two is the older one, and what to update. A refused request carries the daemon's newest version. The
 * sessions are safe either way, so nothing here ever suggests to end them.
 */
export async function explainVersionGap(error: ProtocolError, socketPath: string): Promise<ProtocolError> {
  const theirs = await newestVersionOf(socketPath);
  if (theirs === undefined) return error;
  const { minimum, maximum } = SUPPORTED_VERSIONS;
  if (theirs < minimum) {
    return protocolError("version_mismatch", {
      message: `the daemon is older than this program: it speaks protocol ${theirs}, this program ${minimum} to ${maximum}`,
      recover: "pohunek daemon restart (starts the new release; sessions go on)",
      cause: error,
    });
  }
  if (theirs > maximum) {
    return protocolError("version_mismatch", {
      message: `this program is older than the daemon: it speaks protocol ${minimum} to ${maximum}, the daemon ${theirs}`,
      recover: "Update this pohunek; daemon and sessions can stay as they are.",
      cause: error,
    });
  }
  return error;
}

/** The `v` of the answer to a request in our versions; undefined when no answer can be read. */
async function newestVersionOf(socketPath: string): Promise<number | undefined> {
  const timeout = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
  const stream = await unixTransport(socketPath).connect("control", timeout);
  timeout.addEventListener("abort", () => void stream.close());
  try {
    await stream.write(encodeLine({ v: SUPPORTED_VERSIONS, id: newRequestId(), method: "daemon.health" }));
    const decoder = new LineDecoder();
    for (let chunk = await stream.read(); chunk !== undefined; chunk = await stream.read()) {
      for (const line of decoder.push(chunk)) return parseResponse(parseJson(decodeUtf8(line) ?? "")?.value)?.v;
    }
    return undefined;
  } finally {
    await stream.close();
  }
}
