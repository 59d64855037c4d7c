import { expect, test } from "bun:test";
import { daemonIdOf, isHostId, isOpaqueId, isRuntimeId, newSessionId, newUlid, streamIdOf } from "./ids.ts";

test("ids take 1 to 128 characters of their alphabet", () => {
  for (const id of ["a", "A-Z_a.z:0", "x".repeat(128)]) expect(isOpaqueId(id)).toBe(true);
  for (const id of ["", "x".repeat(129), "a b", "a/b", "ä", "a\n", "a\u0000", 7, null])
    expect(isOpaqueId(id)).toBe(false);
});

test("session ids carry a ULID that sorts by time and is never the same twice", () => {
  expect(newSessionId()).toMatch(/^s-[0-9A-HJKMNP-TV-Z]{26}$/);
  expect(newUlid(0).slice(0, 10)).toBe("0000000000");
  expect(newUlid(1_469_918_176_385).slice(0, 10)).toBe("01ARYZ6S41");
  expect(newUlid(1_000) < newUlid(1_001)).toBe(true);
  expect(new Set(Array.from({ length: 1_000 }, () => newUlid(5))).size).toBe(1_000);
});

test("stream and daemon ids are built from their parts", () => {
  expect(streamIdOf(7)).toBe("a-7" as never);
  expect(daemonIdOf({ pid: 42, startedAtNanos: 9n, sequence: 1 })).toBe("d-42-9-1" as never);
});

test("runtime ids follow their grammar", () => {
  for (const id of ["shell", "claude", "a.b_c-d", "9", "x".repeat(64)]) expect(isRuntimeId(id)).toBe(true);
  for (const id of ["", ".a", "-a", "a..b", "Claude", "a b", "a/b", "x".repeat(65)])
    expect(isRuntimeId(id)).toBe(false);
});

test("host ids have a prefix and 43 base64url characters", () => {
  expect(isHostId(`host_${"a_-9".repeat(10)}abc`)).toBe(true);
  for (const id of [`host_${"a".repeat(42)}`, `relay_${"a".repeat(43)}`, `host_${"+".repeat(43)}`]) {
    expect(isHostId(id)).toBe(false);
  }
});
