import { expect, test } from "bun:test";
import {
  CLIPBOARD_LOCATIONS,
  CLIPBOARD_SUCCESS,
  COLOR_SCHEME_DARK,
  DATA,
  MOUSE_TRACKINGS,
  OPTION,
  PROGRESS_STATES,
  RESULT_SUCCESS,
  SCREEN_ALTERNATE,
  STRUCT,
} from "../../packages/host/src/worker/engine/ghostty-abi.ts";
import { loadGhosttyRuntime } from "../../packages/host/src/worker/engine/ghostty-runtime.ts";

interface Manifest {
  readonly types: Readonly<
    Record<
      string,
      {
        readonly size: number;
        readonly values?: Readonly<Record<string, number>>;
        readonly fields?: Readonly<Record<string, { readonly offset: number }>>;
      }
    >
  >;
}

const manifest = readManifest();

function readManifest(): Manifest {
  const runtime = loadGhosttyRuntime();
  const exports = runtime.exports as unknown as { readonly ghostty_type_json: () => number };
  const start = exports.ghostty_type_json();
  const text = runtime.bytes.subarray(start, runtime.bytes.indexOf(0, start));
  return JSON.parse(Buffer.from(text).toString("utf8")) as Manifest;
}

const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
const value = (type: string, name: string): number | undefined => manifest.types[type]?.values?.[name];

test("data and option numbers are those of the module", () => {
  for (const [name, number] of Object.entries(DATA))
    expect(`${name} ${value("GhosttyTerminalData", snake(name))}`).toBe(`${name} ${number}`);
  for (const [name, number] of Object.entries(OPTION))
    expect(`${name} ${value("GhosttyTerminalOption", snake(name))}`).toBe(`${name} ${number}`);
});

test("structures are laid out as those of the module", () => {
  const types: Readonly<Record<keyof typeof STRUCT, string>> = {
    string: "GhosttyString",
    writer: "GhosttyWriter",
    sizeReport: "GhosttySizeReportSize",
    clipboardWrite: "GhosttyClipboardWrite",
    clipboardContent: "GhosttyClipboardContent",
    desktopNotification: "GhosttyTerminalDesktopNotification",
    progressReport: "GhosttyTerminalProgressReport",
  };
  for (const [name, layout] of Object.entries(STRUCT)) {
    const type = manifest.types[types[name as keyof typeof STRUCT]];
    for (const [field, offset] of Object.entries(layout)) {
      const expected = field === "size" ? type?.size : type?.fields?.[snake(field).toLowerCase()]?.offset;
      expect(`${name}.${field} ${expected}`).toBe(`${name}.${field} ${offset}`);
    }
  }
});

test("enumerations are those of the module", () => {
  expect(value("GhosttyResult", "SUCCESS")).toBe(RESULT_SUCCESS);
  expect(value("GhosttyTerminalScreen", "ALTERNATE")).toBe(SCREEN_ALTERNATE);
  expect(value("GhosttyColorScheme", "DARK")).toBe(COLOR_SCHEME_DARK);
  expect(value("GhosttyClipboardWriteResult", "SUCCESS")).toBe(CLIPBOARD_SUCCESS);
  CLIPBOARD_LOCATIONS.forEach((name, index) => expect(value("GhosttyClipboardLocation", snake(name))).toBe(index));
  MOUSE_TRACKINGS.forEach((name, index) => expect(value("GhosttyMouseTrackingMode", snake(name))).toBe(index));
  const states = ["REMOVE", "SET", "ERROR", "INDETERMINATE", "PAUSE"];
  states.forEach((name, index) => expect(value("GhosttyTerminalProgressState", name)).toBe(index));
  expect(states).toHaveLength(PROGRESS_STATES.length);
});
