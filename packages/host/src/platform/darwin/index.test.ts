import { expect, test } from "bun:test";
import { linux } from "../linux/index.ts";
import { SystemError } from "../system-error.ts";
import { darwin } from "./index.ts";

test("has every call that Linux has, and refuses each with a reason", () => {
  for (const group of ["pty", "processes", "self", "files", "sockets"] as const) {
    expect(Object.keys(darwin[group]).sort()).toEqual(Object.keys(linux[group]).sort());
  }
  expect(() => darwin.pty.open({ cols: 80, rows: 24 })).toThrow(new SystemError("unsupported", "pty.open"));
  expect(() => darwin.readPeer(0)).toThrow(new SystemError("unsupported", "readPeer"));
});
