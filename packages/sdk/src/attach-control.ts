import type { StreamId } from "@pohunek/protocol/wire";
import { errorFromWire } from "@pohunek/protocol/wire";
import type { AttachControl } from "./attach-stream.ts";
import type { Client } from "./client.ts";
import type { Peer } from "./failures.ts";

interface ControlledStream {
  readonly peer: Peer;
  readonly timeoutMs: number;
  readonly sessionId: string;
  readonly streamId: StreamId;
  /** Who asks the daemon, when something has to be asked. */
  readonly client: () => Client | Promise<Client>;
}

/** What an attached stream asks its daemon later. */
export function attachControl({ peer, timeoutMs, sessionId, streamId, client }: ControlledStream): AttachControl {
  return {
    peer,
    timeoutMs,
    resize: async (size) => {
      const asking = await client();
      await asking.call("session.resize", { session_id: sessionId, stream_id: streamId, ...size });
    },
    detach: async () => {
      const asking = await client();
      const { error } = await asking.call("session.detach", { stream_id: streamId });
      return error === undefined ? undefined : errorFromWire(error, peer.host);
    },
  };
}
