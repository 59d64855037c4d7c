import { ptr } from "bun:ffi";
import type { ReadinessSet } from "../platform.ts";
import { libc } from "./libc.ts";

const POLLIN = 0x1;
const POLLOUT = 0x4;
const POLLERR = 0x8;
const POLLHUP = 0x10;
/** struct pollfd: i32 fd, i16 events, i16 revents; as i16 four of them, little-endian as all our systems are. */
const SHORTS = 4;
const FIRST_CAPACITY = 16;

/** poll(2) on memory that is used again: it is asked for each key that somebody types. */
export class PollSet implements ReadinessSet {
  #fds = new Int32Array(FIRST_CAPACITY * 2);
  #shorts = new Int16Array(this.#fds.buffer);
  #count = 0;

  clear(): void {
    this.#count = 0;
  }

  add(fd: number, wantsRead: boolean, wantsWrite: boolean): void {
    if (this.#count * 2 === this.#fds.length) this.#grow();
    const at = this.#count * SHORTS;
    this.#fds[this.#count * 2] = fd;
    this.#shorts[at + 2] = (wantsRead ? POLLIN : 0) | (wantsWrite ? POLLOUT : 0);
    this.#shorts[at + 3] = 0;
    this.#count += 1;
  }

  poll(): number {
    return this.#count === 0 ? 0 : libc.poll(ptr(this.#fds), this.#count, 0);
  }

  canRead(index: number): boolean {
    const at = index * SHORTS;
    // A peer that is gone is noticed by reading; while reading is not wanted it has to wait.
    const isWanted = (this.#shorts[at + 2]! & POLLIN) !== 0;
    return isWanted && (this.#shorts[at + 3]! & (POLLIN | POLLERR | POLLHUP)) !== 0;
  }

  canWrite(index: number): boolean {
    return (this.#shorts[index * SHORTS + 3]! & POLLOUT) !== 0;
  }

  #grow(): void {
    const grown = new Int32Array(this.#fds.length * 2);
    grown.set(this.#fds);
    this.#fds = grown;
    this.#shorts = new Int16Array(grown.buffer);
  }
}
