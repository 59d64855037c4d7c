import { expect, test } from "bun:test";
import {
  ConnectionVersion,
  MIN_PROTOCOL_VERSION,
  negotiateVersion,
  PROTOCOL_VERSION,
  SUPPORTED_VERSIONS,
} from "./version.ts";

test("the window is the newest version and the one before", () => {
  expect([MIN_PROTOCOL_VERSION, PROTOCOL_VERSION]).toEqual([3, 4]);
  expect(SUPPORTED_VERSIONS).toEqual({ minimum: MIN_PROTOCOL_VERSION, maximum: PROTOCOL_VERSION });
});

test("the highest version in both ranges is chosen", () => {
  const matrix: readonly (readonly [number, number, number | undefined])[] = [
    [1, 2, undefined],
    [1, 3, 3],
    [3, 3, 3],
    [2, 4, 4],
    [3, 4, 4],
    [4, 4, 4],
    [4, 9, 4],
    [1, 4_294_967_295, 4],
    [5, 9, undefined],
  ];
  for (const [minimum, maximum, chosen] of matrix) expect(negotiateVersion({ minimum, maximum })).toBe(chosen);
});

test("the first response fixes the version; later requests only have to contain it", () => {
  const version = new ConnectionVersion();
  expect(version.current).toBe(4);
  expect(version.accept({ minimum: 3, maximum: 3 })).toBeUndefined();
  expect([version.current, version.isFixed]).toEqual([3, true]);
  expect(version.accept({ minimum: 3, maximum: 4 })).toBeUndefined();
  expect(version.current).toBe(3);
  expect(version.accept({ minimum: 4, maximum: 4 })?.code).toBe("version_mismatch");
  expect(version.current).toBe(3);
});

test("a first request without overlap is answered with our maximum and fixes nothing", () => {
  const version = new ConnectionVersion();
  const refusal = version.accept({ minimum: 5, maximum: 7 });
  expect([refusal?.code, refusal?.class]).toEqual(["version_mismatch", "daemon"]);
  expect([version.current, version.isFixed]).toEqual([4, false]);
  expect(version.accept({ minimum: 3, maximum: 3 })).toBeUndefined();
  expect(version.current).toBe(3);
});
