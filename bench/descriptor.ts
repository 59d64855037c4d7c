/** Waiting reads and writes of one descriptor. The benchmark has nothing else to do, so it blocks and adds no event loop's delay. */

import { dlopen, ptr } from "bun:ffi";

const POLLIN = 0x1;
const POLLOUT = 0x4;
const F_SETFL = 4;
const F_GETFL = 3;
const O_NONBLOCK = 0x800;

const { symbols: libc } = dlopen("libc.so.6", {
  poll: { args: ["ptr", "u64", "i32"], returns: "i32" },
  read: { args: ["i32", "u64", "u64"], returns: "i64" },
  write: { args: ["i32", "u64", "u64"], returns: "i64" },
  fcntl: { args: ["i32", "i32", "i64"], returns: "i32" },
});

export interface Readiness {
  readonly canRead: boolean;
  readonly canWrite: boolean;
}

/** Memory that does not move, with its address. */
export class Area {
  readonly bytes: Uint8Array;
  readonly address: number;

  constructor(size: number) {
    this.bytes = new Uint8Array(size);
    this.address = ptr(this.bytes);
  }
}

/** Waits until one of several can be read, or until the time is over; tells which can. */
export function waitForAny<Each extends { readonly fd: number }>(all: readonly Each[], timeoutMs: number): Each[] {
  const polled = new Uint32Array(all.length * 2);
  all.forEach(({ fd }, index) => {
    polled[index * 2] = fd;
    polled[index * 2 + 1] = POLLIN;
  });
  libc.poll(ptr(polled), all.length, Math.ceil(timeoutMs));
  return all.filter((_, index) => (polled[index * 2 + 1] ?? 0) >>> 16 !== 0);
}

export class Descriptor {
  readonly fd: number;
  readonly #poll = new Uint32Array(2);
  readonly #pollAddress = ptr(this.#poll);

  constructor(fd: number) {
    this.fd = fd;
    libc.fcntl(fd, F_SETFL, libc.fcntl(fd, F_GETFL, 0) | O_NONBLOCK);
  }

  wait(timeoutMs: number, forWriting = false): Readiness {
    this.#poll[0] = this.fd;
    this.#poll[1] = forWriting ? POLLIN | POLLOUT : POLLIN;
    libc.poll(this.#pollAddress, 1, Math.ceil(timeoutMs));
    const seen = (this.#poll[1] ?? 0) >>> 16;
    return { canRead: (seen & ~POLLOUT) !== 0, canWrite: (seen & POLLOUT) !== 0 };
  }

  /** Bytes read into the area from `offset`; 0 or less when the other side is gone or nothing is there. */
  read(area: Area, offset: number, limit: number): number {
    return Number(libc.read(this.fd, area.address + offset, Math.min(limit, area.bytes.length - offset)));
  }

  write(area: Area, offset: number, length: number): number {
    return Number(libc.write(this.fd, area.address + offset, length));
  }
}
