/**
 * The part of libghostty-vt"s C interface that the engine uses. The numbers are those of the module"s own ABI manifest
 * (`ghostty_type_json()`); test/terminal/abi.test.ts holds them against it, so that a start need not parse 57 KB of JSON.
 */

export const RESULT_SUCCESS = 0;

/** GhosttyTerminalData */
export const DATA = {
  cursorX: 3,
  cursorY: 4,
  activeScreen: 6,
  cursorVisible: 7,
  kittyKeyboardFlags: 8,
  mouseTracking: 11,
  title: 12,
  pwd: 13,
  scrollbackRows: 15,
  vtGround: 38,
} as const;

/** GhosttyTerminalOption */
export const OPTION = {
  writePty: 1,
  bell: 2,
  xtversion: 4,
  titleChanged: 5,
  size: 6,
  colorScheme: 7,
  colorForeground: 11,
  colorBackground: 12,
  colorCursor: 13,
  pwdChanged: 25,
  clipboardWrite: 26,
  scrollbackMaxBytes: 27,
  scrollbackMaxLines: 28,
  desktopNotification: 29,
  progressReport: 30,
  continuationMaxBytes: 31,
} as const;

/** Structures by field offset. */
export const STRUCT = {
  string: { ptr: 0, len: 4, size: 8 },
  writer: { write: 0, userdata: 4, size: 8 },
  sizeReport: { rows: 0, columns: 2, cellWidth: 4, cellHeight: 8, size: 12 },
  clipboardWrite: { location: 4, contents: 8, contentsLen: 12, size: 16 },
  clipboardContent: { mime: 0, data: 8, size: 16 },
  desktopNotification: { title: 4, body: 12, size: 20 },
  progressReport: { state: 4, progress: 8, size: 12 },
} as const;

/** GhosttyTerminalProgressState by value; 0 removes the progress. */
export const PROGRESS_STATES = [undefined, "set", "error", "indeterminate", "paused"] as const;
/** GhosttyClipboardLocation by value. */
export const CLIPBOARD_LOCATIONS = ["standard", "selection", "primary"] as const;
/** GhosttyMouseTrackingMode by value. */
export const MOUSE_TRACKINGS = ["none", "x10", "normal", "button", "any"] as const;

/** Colours of the default terminal, which answer OSC 10, 11 and 12 while nobody is attached: light grey on black. */
export const SCREEN_COLORS: readonly (readonly [option: number, color: Uint8Array])[] = [
  [OPTION.colorForeground, Uint8Array.of(0xd0, 0xd0, 0xd0)],
  [OPTION.colorBackground, Uint8Array.of(0x00, 0x00, 0x00)],
  [OPTION.colorCursor, Uint8Array.of(0xd0, 0xd0, 0xd0)],
];

/** Cell size that the default terminal claims to have (CSI 14 t, CSI 16 t, mode 2048). */
export const CELL_PX = { width: 8, height: 16 } as const;

export const SCREEN_ALTERNATE = 1;
export const COLOR_SCHEME_DARK = 1;
/** GhosttyClipboardWriteResult SUCCESS: the copy was taken over by the listener. */
export const CLIPBOARD_SUCCESS = 0;

/** The exports that are called. `Pointer` and sizes are wasm32 numbers. */
export interface GhosttyExports {
  readonly memory: WebAssembly.Memory;
  readonly __indirect_function_table: WebAssembly.Table;
  ghostty_wasm_alloc(size: number): number;
  ghostty_wasm_free(pointer: number, size: number): void;
  ghostty_wasm_alloc_opaque(): number;
  ghostty_wasm_take_opaque(slot: number): number;
  ghostty_terminal_new(allocator: number, out: number, cols: number, rows: number): number;
  ghostty_terminal_free(terminal: number): void;
  ghostty_terminal_resize(terminal: number, cols: number, rows: number, cellWidth: number, cellHeight: number): number;
  ghostty_terminal_set(terminal: number, option: number, value: number): number;
  ghostty_terminal_get(terminal: number, data: number, out: number): number;
  ghostty_terminal_vt_write(terminal: number, bytes: number, length: number): void;
  ghostty_terminal_continuation_write(terminal: number, writer: number): number;
  ghostty_snapshot_encode(terminal: number, writer: number): number;
}
