import { expect, test } from "bun:test";
import { errorRow, errorTable } from "./errors.ts";
import { errorFromWire, isProtocolError, ProtocolError, parseWireError, protocolError } from "./protocol-error.ts";

test("a failure without a message says the table's sentence and hint", () => {
  const error = protocolError("session_not_found");
  expect(error.message).toBe(errorTable().session_not_found.sentence);
  expect(error.toWire()).toEqual({
    class: "runtime",
    code: "session_not_found",
    msg: errorTable().session_not_found.sentence,
    recover: "pohunek ls",
  });
});

test("details and cause never travel", () => {
  const cause = new Error("private");
  const error = protocolError("io_error", { message: "reading failed", details: { path: "/private" }, cause });
  expect(error.toWire()).toEqual({ class: "runtime", code: "io_error", msg: "reading failed" });
  expect([error.cause, error.details]).toEqual([cause, { path: "/private" }]);
});

test("a failure of a newer peer keeps its class, code and text, and the host that it came from", () => {
  const wire = { class: "discovery", code: "code_of_tomorrow", msg: "something new", recover: "do this" } as const;
  const error = errorFromWire(wire, "studio");
  expect(error.toWire()).toEqual(wire);
  expect([error.host, error.isRetryable, isProtocolError(error)]).toEqual(["studio", false, true]);
  expect(protocolError("request_timeout").onHost("studio")).toMatchObject({ code: "request_timeout", host: "studio" });
});

test("an error shape is exact", () => {
  const wire = { class: "daemon", code: "bad_request", msg: "" };
  expect(parseWireError(wire)).toEqual(wire as never);
  for (const value of [null, [], "x", {}, { ...wire, class: "system" }, { ...wire, more: 1 }, { ...wire, msg: 1 }]) {
    expect(parseWireError(value)).toBeUndefined();
  }
});

test("errors are told apart by code", () => {
  const error: unknown = protocolError("framing");
  expect([isProtocolError(error, "framing"), isProtocolError(error, "bad_request")]).toEqual([true, false]);
  expect(isProtocolError(new Error("framing"), "framing")).toBe(false);
  expect(new ProtocolError("unheard_of")).toMatchObject({ class: "daemon", message: "unheard_of" });
});

test("codes that name their overlay share a row, and inherited names are no codes", () => {
  expect(errorRow("netbird_cli_missing")).toBe(errorTable().overlay_cli_missing);
  expect(errorRow("tailscale_listener_address_missing")).toBe(errorTable().overlay_listener_address_missing);
  for (const code of ["toString", "__proto__", "", "cli_missing"]) expect(errorRow(code)).toBeUndefined();
});
