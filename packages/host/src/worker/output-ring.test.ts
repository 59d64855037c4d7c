import { describe, expect, test } from "bun:test";
import { OutputRing, SEGMENT_BYTES } from "./output-ring.ts";

/** Byte at an offset, so that any misplaced byte shows. */
const byteAt = (offset: number): number => (offset * 31 + (offset >> 8)) & 0xff;

function produce(from: number, bytes: number): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length: bytes }, (_, index) => byteAt(from + index));
}

function readAll(ring: OutputRing): Uint8Array {
  const all = new Uint8Array(ring.endOffset - ring.startOffset);
  expect(ring.copy(ring.startOffset, all)).toBe(all.length);
  return all;
}

describe("OutputRing", () => {
  test("starts empty, without memory", () => {
    const ring = new OutputRing(1_000_000);
    expect([ring.startOffset, ring.endOffset, ring.view(0, 10).length]).toEqual([0, 0, 0]);
  });

  test("keeps exactly the newest bytes of its capacity, at their offsets", () => {
    const capacity = SEGMENT_BYTES * 2 + 1_000;
    const ring = new OutputRing(capacity);
    let written = 0;
    for (const size of [1, 4_095, 4_096, SEGMENT_BYTES, SEGMENT_BYTES * 3 + 7, 17, 100_000]) {
      ring.append(produce(written, size));
      written += size;
      expect(ring.endOffset).toBe(written);
      expect(ring.startOffset).toBe(Math.max(0, written - capacity));
      expect(readAll(ring)).toEqual(produce(ring.startOffset, ring.endOffset - ring.startOffset));
    }
  });

  test("reuses memory: ten times its capacity takes no more segments than the capacity needs", () => {
    const capacity = SEGMENT_BYTES * 4;
    const ring = new OutputRing(capacity);
    const seen = new Set<ArrayBuffer>();
    for (let written = 0; written < capacity * 10; written += 1_024) {
      seen.add(ring.tail().buffer);
      ring.append(produce(written, 1_024));
    }
    expect(seen.size).toBe(5);
  });

  test("a view stays inside one segment", () => {
    const ring = new OutputRing(SEGMENT_BYTES * 4);
    ring.append(produce(0, SEGMENT_BYTES + 10));
    expect(ring.view(SEGMENT_BYTES - 5, 100)).toEqual(produce(SEGMENT_BYTES - 5, 5));
    expect(ring.view(SEGMENT_BYTES, 100)).toEqual(produce(SEGMENT_BYTES, 10));
    expect(ring.view(SEGMENT_BYTES + 10, 100).length).toBe(0);
  });

  test("commits what another writer put into the tail", () => {
    const ring = new OutputRing(SEGMENT_BYTES);
    ring.append(produce(0, 100));
    ring.tail().set(produce(100, 50), ring.tailFill);
    expect(ring.commit(50)).toEqual(produce(100, 50));
    expect(readAll(ring)).toEqual(produce(0, 150));
  });
});
