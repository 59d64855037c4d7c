const decoder = new TextDecoder();

/** Little-endian cursor over a byte array. */
export class ByteReader {
  readonly bytes: Uint8Array;
  readonly #view: DataView;
  #offset = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get offset(): number {
    return this.#offset;
  }

  get remaining(): number {
    return this.bytes.length - this.#offset;
  }

  skip(count: number): void {
    this.#offset += count;
  }

  u8(): number {
    const value = this.#view.getUint8(this.#offset);
    this.#offset += 1;
    return value;
  }

  u16(): number {
    const value = this.#view.getUint16(this.#offset, true);
    this.#offset += 2;
    return value;
  }

  u32(): number {
    const value = this.#view.getUint32(this.#offset, true);
    this.#offset += 4;
    return value;
  }

  u64(): bigint {
    const value = this.#view.getBigUint64(this.#offset, true);
    this.#offset += 8;
    return value;
  }

  take(count: number): Uint8Array {
    const taken = this.bytes.subarray(this.#offset, this.#offset + count);
    this.#offset += count;
    return taken;
  }

  text(length: number): string {
    return decoder.decode(this.take(length));
  }
}
