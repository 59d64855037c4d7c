import type { ParamsOf, ResultOf } from "@pohunek/protocol";
import type { SessionId } from "@pohunek/protocol/wire";
import {
  decodeUtf8,
  encodeLine,
  errorFromWire,
  MAX_CONTROL_LINE_BYTES,
  newRequestId,
  parseJson,
  parseResponse,
} from "@pohunek/protocol/wire";
import { attachControl } from "./attach-control.ts";
import { AttachStream } from "./attach-stream.ts";
import { settleWithin } from "./cancellation.ts";
import type { Client, ClientOptions } from "./client.ts";
import { CONNECT_TIMEOUT_MS, dial } from "./dial.ts";
import { connectionLost, peerError } from "./failures.ts";
import { joinBytes } from "./join-bytes.ts";
import { SelectedVersion } from "./selected-version.ts";
import type { ByteStream } from "./transport.ts";

export interface DirectAttach {
  /** The session that was meant. */
  readonly session: { readonly id: SessionId; readonly name?: string | undefined };
  /** Absent when something is between this process and the host: then the attach is to be made by a client. */
  readonly stream?: AttachStream;
  /** Milliseconds that the request took, the journey there and back included. */
  readonly roundTripMs: number;
}

export interface DirectAttachOptions extends ClientOptions {
  readonly params: Omit<ParamsOf<"session.attach">, "upgrade_for_pid">;
  /** The id of this process, by which the host knows a connection without a relay. */
  readonly pid: number;
  /** A client of the same host, for what the stream asks its daemon later, if ever. */
  readonly client: () => Promise<Client>;
  /** The request is on its way: the time until the answer can be used. */
  readonly onAsked?: () => void;
}

/** A daemon grants an attach without asking anybody, and a worker paints at once. */
const ANSWER_TIMEOUT_MS = 10_000;
const LINE_FEED = 0x0a;

/**
 * Attaches to a session of this machine in one journey: the connection that asks becomes the stream. Undefined when the
 * host is too old for that. For transports whose connections carry lines and raw bytes alike, as sockets do.
 */
export async function attachDirectly(options: DirectAttachOptions): Promise<DirectAttach | undefined> {
  const { transport, signal, connectTimeoutMs: timeoutMs = CONNECT_TIMEOUT_MS } = options;
  const peer = { host: transport.host };
  const stream = await dial(transport, { purpose: "control", timeoutMs, signal });
  try {
    const onTimeout = () => peerError(peer, "request_timeout", { message: "session.attach was not answered in time" });
    const answerMs = options.requestTimeoutMs ?? ANSWER_TIMEOUT_MS;
    const startedMs = performance.now();
    const { result, rest } = await settleWithin(ask(stream, options), { timeoutMs: answerMs, onTimeout }, { signal });
    const { session, stream_id: streamId, upgraded, clipboard } = result;
    const roundTripMs = performance.now() - startedMs;
    if (upgraded !== true || session === undefined) {
      await stream.close();
      return session === undefined ? undefined : { session, roundTripMs };
    }
    const control = attachControl({
      peer,
      timeoutMs: answerMs,
      sessionId: session.id,
      streamId,
      client: options.client,
    });
    const opened = await AttachStream.over(streamId, rest, { stream, control, signal, clipboard });
    return { session, roundTripMs, stream: opened };
  } catch (cause) {
    await stream.close();
    throw cause;
  }
}

type Granted = ResultOf<"session.attach">;

async function ask(
  stream: ByteStream,
  { params, pid, origin, transport, onAsked }: DirectAttachOptions,
): Promise<{ result: Granted; rest: Uint8Array }> {
  const peer = { host: transport.host };
  const version = new SelectedVersion(peer);
  const id = newRequestId();
  const upgraded = { ...params, upgrade_for_pid: pid };
  const content = { v: version.offered, id, method: "session.attach", params: upgraded, ...origin };
  const lost = (cause: unknown): never => {
    throw connectionLost(peer, cause);
  };
  await stream.write(encodeLine(content)).catch(lost);
  onAsked?.();
  const { line, rest } = await readLine(() => stream.read().catch(lost));
  const text = line === undefined ? undefined : decodeUtf8(line);
  const response = text === undefined ? undefined : parseResponse(parseJson(text)?.value);
  if (response === undefined || response.id !== id) throw connectionLost(peer);
  version.note(response);
  if (response.err !== undefined) throw errorFromWire(response.err, peer.host);
  return { result: response.ok as Granted, rest };
}

/** The first line without its end, undefined when there is none, and the bytes that came behind it. */
async function readLine(
  read: () => Promise<Uint8Array | undefined>,
): Promise<{ line: Uint8Array | undefined; rest: Uint8Array }> {
  let received: Uint8Array = new Uint8Array(0);
  for (;;) {
    const chunk = await read();
    if (chunk === undefined) return { line: undefined, rest: received };
    received = received.length === 0 ? chunk : joinBytes(received, chunk);
    const end = received.indexOf(LINE_FEED);
    if (end !== -1) return { line: received.subarray(0, end), rest: received.subarray(end + 1) };
    if (received.length > MAX_CONTROL_LINE_BYTES) return { line: undefined, rest: received };
  }
}
