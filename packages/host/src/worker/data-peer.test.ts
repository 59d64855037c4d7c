import { expect, test } from "bun:test";
import type { AttachGrant } from "./attach-streams.ts";
import { DataPeer } from "./data-peer.ts";
import { DataTokens } from "./data-tokens.ts";
import { ViewerRoll } from "./viewer-roll.ts";
import type { WorkerSession } from "./worker-session.ts";

test("a viewer that can't be shown anything is told, and does not stay the owner of the size", () => {
  const written: string[] = [];
  let isEnded = false;
  using viewers = new ViewerRoll({
    resize: () => ({ cols: 80, rows: 24, changed: false }),
    type: () => undefined,
  });
  const session = {
    viewers,
    get streams(): never {
      throw new Error("a bug");
    },
  };
  const tokens = new DataTokens<AttachGrant>(() => 0);
  const peer = new DataPeer({
    connection: {
      write: (bytes) => {
        written.push(Buffer.from(bytes).toString());
        return bytes.length;
      },
      end: () => {
        isEnded = true;
      },
      pause: () => undefined,
      resume: () => undefined,
    },
    session: session as unknown as WorkerSession,
    tokens,
  });
  expect(() => peer.open(tokens.grant({ version: 3, cols: 100, rows: 30 }))).toThrow("a bug");
  expect(written.join("")).toContain("worker_attach_stream_failed");
  expect(isEnded).toBe(true);
  expect([viewers.count, viewers.interactiveCount]).toEqual([0, 0]);
});
