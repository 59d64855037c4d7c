import type { ProtocolError } from "@pohunek/protocol/wire";
import type { WindowSize } from "../platform/index.ts";
import { WORKER_LIMITS } from "../worker-api/limits.ts";
import type { AdjustViewParams, ViewFacts } from "../worker-api/viewers.ts";
import type { ByteSink, RawStreamListener } from "./attach-stream.ts";
import type { AttachGrant, AttachStreams } from "./attach-streams.ts";
import { clampSize } from "./clamp-size.ts";

/** What one viewer is shown: the program's output, or pictures of it. */
export interface ViewerOutput {
  /** The viewer's connection takes bytes again. */
  drained(): void;
  fail(error: ProtocolError): void;
  /** The viewer's connection is closed. */
  close(): void;
  readonly pictures?: ViewerPictures;
}

/** Only a viewer that gets pictures can choose what is on them. */
export interface ViewerPictures {
  adjust(params: Omit<AdjustViewParams, "stream">): ViewFacts;
  resize(size: WindowSize): void;
}

export interface OutputTarget {
  readonly sink: ByteSink;
  readonly grant: AttachGrant;
  readonly raw?: RawStreamListener;
}

export function openOutput(streams: AttachStreams, { sink, grant, raw }: OutputTarget): ViewerOutput {
  if (grant.mode === "view") {
    return openPictures(streams, { sink, grant, ...(raw ? { raw } : {}) });
  }
  const stream = streams.open(sink, grant, raw);
  return {
    drained: () => streams.drained(stream),
    fail: (error) => stream.fail(error),
    close: () => streams.close(stream),
  };
}

function openPictures({ pictures }: AttachStreams, { sink, grant, raw }: OutputTarget): ViewerOutput {
  const size = pictureSize({ cols: grant.cols ?? 0, rows: grant.rows ?? 0 });
  const stream = pictures.open({ sink, size, isUsed: grant.viewer !== "fresh", ...(raw ? { raw } : {}) });
  return {
    drained: () => pictures.drained(stream),
    fail: (error) => stream.fail(error),
    close: () => pictures.close(stream),
    pictures: {
      adjust: (params) => pictures.adjust(stream, params),
      resize: (wanted) => pictures.resize(stream, pictureSize(wanted)),
    },
  };
}

/** A picture may be as small as it likes: the program does not see its size. */
function pictureSize(wanted: WindowSize): WindowSize {
  return clampSize(wanted, WORKER_LIMITS);
}
