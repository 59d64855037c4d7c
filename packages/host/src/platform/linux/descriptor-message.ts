import type { Pointer } from "bun:ffi";
import { ptr } from "bun:ffi";

const SOL_SOCKET = 1;
const SCM_RIGHTS = 1;
/** struct cmsghdr on 64 bit: size_t length, i32 level, i32 type. */
const CONTROL_HEADER_BYTES = 16;
/** One descriptor, and padding to the next multiple of 8. */
const CONTROL_BYTES = CONTROL_HEADER_BYTES + 8;
const DESCRIPTOR_BYTES = 4;

/** struct msghdr for sendmsg and recvmsg with one buffer and room for one descriptor (64 bit Linux). */
export class DescriptorMessage {
  readonly #control = new DataView(new ArrayBuffer(CONTROL_BYTES));
  // The memory that the kernel is pointed to must live as long as this object.
  readonly #vector: BigUint64Array;
  readonly #header: BigUint64Array;

  constructor(bytes: Uint8Array, descriptor?: number) {
    this.#vector = new BigUint64Array([BigInt(ptr(bytes)), BigInt(bytes.length)]);
    if (descriptor !== undefined) {
      this.#control.setBigUint64(0, BigInt(CONTROL_HEADER_BYTES + DESCRIPTOR_BYTES), true);
      this.#control.setInt32(8, SOL_SOCKET, true);
      this.#control.setInt32(12, SCM_RIGHTS, true);
      this.#control.setInt32(CONTROL_HEADER_BYTES, descriptor, true);
    }
    // name, name length, vector, vector length, control, control length, flags.
    const control = BigInt(ptr(this.#control));
    this.#header = new BigUint64Array([0n, 0n, BigInt(ptr(this.#vector)), 1n, control, BigInt(CONTROL_BYTES), 0n]);
  }

  get pointer(): Pointer {
    return ptr(this.#header);
  }

  /** The descriptor that came with a received message. */
  takeDescriptor(): number | undefined {
    const hasOne =
      this.#header[5] !== 0n &&
      this.#control.getBigUint64(0, true) >= BigInt(CONTROL_HEADER_BYTES + DESCRIPTOR_BYTES) &&
      this.#control.getInt32(8, true) === SOL_SOCKET &&
      this.#control.getInt32(12, true) === SCM_RIGHTS;
    return hasOne ? this.#control.getInt32(CONTROL_HEADER_BYTES, true) : undefined;
  }
}
