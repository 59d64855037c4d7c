import type { Server, Socket } from "node:net";
import { connect, createServer } from "node:net";

export interface LinkSpeed {
  /** One way. */
  readonly delayMs: number;
  /** Each way, for all connections together. */
  readonly bytesPerSecond: number;
}

interface Packet {
  readonly bytes: Uint8Array;
  readonly to: Socket;
  readonly dueMs: number;
}

/** What a packet of the Internet carries. */
const PACKET_BYTES = 1_400;
/** A sender waits when so much is under way, as with a small window of TCP. */
const WINDOW_BYTES = 32_768;

/** One direction of a slow link: packets leave one after the other, and arrive after the delay, in order. */
class Direction {
  readonly #speed: LinkSpeed;
  readonly #packets: Packet[] = [];
  #queuedBytes = 0;
  readonly #held = new Set<Socket>();
  #freeAtMs = 0;
  #timer: Timer | undefined;

  constructor(speed: LinkSpeed) {
    this.#speed = speed;
  }

  send(from: Socket, to: Socket, bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at += PACKET_BYTES) {
      const piece = bytes.slice(at, at + PACKET_BYTES);
      this.#freeAtMs =
        Math.max(performance.now(), this.#freeAtMs) + (piece.length / this.#speed.bytesPerSecond) * 1_000;
      this.#packets.push({ bytes: piece, to, dueMs: this.#freeAtMs + this.#speed.delayMs });
      this.#queuedBytes += piece.length;
    }
    if (this.#queuedBytes > WINDOW_BYTES) this.#held.add(from.pause());
    this.#arm();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#packets.length = 0;
  }

  #arm(): void {
    const [first] = this.#packets;
    if (first === undefined || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => this.#deliver(), Math.max(0, first.dueMs - performance.now()));
  }

  #deliver(): void {
    this.#timer = undefined;
    const now = performance.now();
    while (this.#packets[0] !== undefined && this.#packets[0].dueMs <= now) {
      const packet = this.#packets.shift() as Packet;
      this.#queuedBytes -= packet.bytes.length;
      packet.to.write(packet.bytes);
    }
    if (this.#queuedBytes <= WINDOW_BYTES) {
      for (const socket of this.#held) socket.resume();
      this.#held.clear();
    }
    this.#arm();
  }
}

/** Passes every connection to a Unix socket on to another one: at full speed or over a slow link, until it is cut. */
export class Relay implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #up: Direction | undefined;
  readonly #down: Direction | undefined;

  private constructor(target: string, speed: LinkSpeed | undefined) {
    this.#up = speed === undefined ? undefined : new Direction(speed);
    this.#down = speed === undefined ? undefined : new Direction(speed);
    this.#server = createServer((client) => this.#join(client, connect(target)));
  }

  static async start(path: string, options: { readonly target: string; readonly speed?: LinkSpeed }): Promise<Relay> {
    const relay = new Relay(options.target, options.speed);
    await new Promise<void>((resolve, reject) => {
      relay.#server.once("error", reject);
      relay.#server.listen(path, resolve);
    });
    return relay;
  }

  /** Ends all connections; new ones are refused. */
  async cut(): Promise<void> {
    this.#up?.stop();
    this.#down?.stop();
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#server.listening) await this.cut();
  }

  #join(client: Socket, host: Socket): void {
    this.#forward(client, host, this.#up);
    this.#forward(host, client, this.#down);
  }

  #forward(from: Socket, to: Socket, direction: Direction | undefined): void {
    this.#sockets.add(from);
    from.on("data", (bytes: Uint8Array) => {
      if (direction === undefined) to.write(bytes);
      else direction.send(from, to, bytes);
    });
    from.on("error", () => from.destroy());
    from.on("close", () => {
      this.#sockets.delete(from);
      to.end();
    });
  }
}
