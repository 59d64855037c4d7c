/** A connected, ordered byte stream to a daemon. One reader and one writer at a time. */
export interface ByteStream {
  /** The next bytes, or undefined once the peer has ended the stream. Rejects when the stream broke. */
  read(): Promise<Uint8Array | undefined>;
  /** Sends bytes in the order of the calls. Resolves when the transport can take more, rejects when the stream broke. */
  write(bytes: Uint8Array): Promise<void>;
  /** Sends what was written, then closes. A pending read ends. Never rejects; closing twice is fine. */
  close(): Promise<void>;
}

/** What a connection is opened for. A socket ignores it; a gateway has a path for each. */
export type Purpose = "control" | "attach";

/** Opens connections to one daemon: the seam between the client and sockets of any kind. */
export interface Transport {
  /** The host as the caller named it, kept in errors. Undefined for the daemon of this machine. */
  readonly host: string | undefined;
  /** Connects, or rejects with whatever the platform says; aborting the signal gives up. */
  connect(purpose: Purpose, signal: AbortSignal): Promise<ByteStream>;
}
