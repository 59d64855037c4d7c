import type { ProtocolError } from "@pohunek/protocol/wire";
import type { WindowSize } from "../platform/index.ts";
import { WORKER_LIMITS } from "../worker-api/limits.ts";
import type { AdjustViewParams, ViewFacts } from "../worker-api/viewers.ts";
import type { AttachStream, ByteSink, RawStreamListener } from "./attach-stream.ts";
import type { AttachGrant, AttachStreams } from "./attach-streams.ts";
import { clampSize } from "./clamp-size.ts";
import type { PictureStream, PictureStreamOptions } from "./picture-stream.ts";

export interface ViewerOutputOptions {
  readonly streams: AttachStreams;
  readonly sink: ByteSink;
  readonly grant: AttachGrant;
  readonly raw?: RawStreamListener;
  /** Whether the session has the size of the viewer's terminal, or that is not known. */
  readonly isFitting: boolean;
}

/**
 * What one viewer is shown: the program's output, or pictures of it. Output that was made for a terminal of another size
 * shows nothing of use, so as long as the session has another size than the viewer, it gets pictures for its own.
 */
export class ViewerOutput {
  readonly #options: ViewerOutputOptions;
  readonly #stream: AttachStream | undefined;
  #picture: PictureStream | undefined;
  #size: WindowSize;

  constructor(options: ViewerOutputOptions) {
    const { streams, sink, grant, raw, isFitting } = options;
    this.#options = options;
    this.#size = pictureSize({ cols: grant.cols ?? 0, rows: grant.rows ?? 0 });
    const isView = grant.mode === "view";
    const isParked = isView || !isFitting;
    this.#stream = isView ? undefined : streams.open(sink, grant, { isParked, ...(raw ? { raw } : {}) });
    this.#picture = isParked ? this.#openPicture({ terminal: grant.viewer ?? "used" }) : undefined;
  }

  /** The session took another size, or the viewer's terminal did. */
  fit(isFitting: boolean): void {
    const { streams } = this.#options;
    if (!this.#stream || isFitting === !this.#picture) {
      return;
    }
    if (this.#picture) {
      streams.pictures.close(this.#picture);
      this.#stream.unpark(this.#picture.release());
      this.#picture = undefined;
    } else {
      this.#picture = this.#openPicture({ terminal: "session", rest: this.#stream.park() });
    }
    streams.drained(this.#stream);
  }

  resize(size: WindowSize): void {
    this.#size = pictureSize(size);
    if (this.#picture) {
      this.#options.streams.pictures.resize(this.#picture, this.#size);
    }
  }

  /** Undefined while the viewer gets no pictures. */
  adjust(params: Omit<AdjustViewParams, "stream">): ViewFacts | undefined {
    return this.#picture && this.#options.streams.pictures.adjust(this.#picture, params);
  }

  /** The viewer's connection takes bytes again. */
  drained(): void {
    const { streams } = this.#options;
    if (this.#picture) {
      streams.pictures.drained(this.#picture);
    } else if (this.#stream) {
      streams.drained(this.#stream);
    }
  }

  fail(error: ProtocolError): void {
    (this.#picture ?? this.#stream)?.fail(error);
  }

  /** The viewer's connection is closed. */
  close(): void {
    const { streams } = this.#options;
    if (this.#picture) {
      streams.pictures.close(this.#picture);
    }
    if (this.#stream) {
      streams.close(this.#stream);
    }
  }

  #openPicture(begin: Pick<PictureStreamOptions, "terminal" | "rest">): PictureStream {
    const { streams, sink, grant, raw } = this.#options;
    const takesCopies = (grant.mode ?? "interactive") === "interactive";
    return streams.pictures.open({ sink, size: this.#size, takesCopies, ...begin, ...(raw ? { raw } : {}) });
  }
}

/** A picture may be as small as it likes: the program does not see its size. */
function pictureSize(wanted: WindowSize): WindowSize {
  return clampSize(wanted, WORKER_LIMITS);
}
