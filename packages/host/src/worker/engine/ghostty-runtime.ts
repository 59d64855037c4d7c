import { readFileSync } from "node:fs";
// The package's exports map hides the file, hence the path; `type: file` embeds it in the compiled binary.
import wasmPath from "../../../../../node_modules/libghostty-vt-node/wasm/ghostty-vt.wasm" with { type: "file" };
import { COLOR_SCHEME_DARK, type GhosttyExports, STRUCT } from "./ghostty-abi.ts";
import type { TerminalSize } from "./terminal-engine.ts";
import { linkTrampolines, type TrampolineTarget } from "./trampoline.ts";

/** The most that goes into the module at once. */
export const PIECE_BYTES = 65_536;
/** The answer to XTVERSION. */
const IDENTITY = "pohunek";
const SCRATCH_BYTES = 64;

/** Receives a snapshot piece by piece; the view is valid during the call. False stops the encoder. */
export type SnapshotSink = (bytes: Uint8Array) => boolean;

/** What one terminal does when the module calls back; arguments are wasm pointers. */
export interface TerminalEffects {
  writePty(bytes: Uint8Array): void;
  bell(): void;
  titleChanged(): void;
  pwdChanged(): void;
  progress(report: number): void;
  notification(request: number): void;
  clipboard(request: number): number;
  reportSize(out: number): boolean;
  readonly size: TerminalSize;
}

/** The callbacks by the option that takes them, in the order of `#targets`. */
export const CALLBACK_NAMES = [
  "writePty",
  "bell",
  "titleChanged",
  "pwdChanged",
  "progressReport",
  "desktopNotification",
  "clipboardWrite",
  "size",
  "colorScheme",
  "xtversion",
] as const;
export type CallbackTable = Readonly<Record<(typeof CALLBACK_NAMES)[number], number>>;

/** One instance of the libghostty-vt module: its memory, its callbacks and a buffer for what goes in. */
export class GhosttyRuntime {
  readonly exports: GhosttyExports;
  readonly callbacks: CallbackTable;
  /** Scratch area for out parameters, SCRATCH_BYTES long. */
  readonly scratch: number;
  readonly #inBuffer: number;
  readonly #slot: number;
  readonly #writer: number;
  readonly #effects = new Map<number, TerminalEffects>();
  readonly #identity: { readonly pointer: number; readonly length: number };
  #sink: SnapshotSink | undefined;
  #memory: Uint8Array;
  #view: DataView;

  constructor(module: WebAssembly.Module) {
    // The module imports nothing, so it can reach nothing but its own memory.
    this.exports = new WebAssembly.Instance(module, {}).exports as unknown as GhosttyExports;
    this.#memory = new Uint8Array(this.exports.memory.buffer);
    this.#view = new DataView(this.exports.memory.buffer);
    this.#slot = this.exports.ghostty_wasm_alloc_opaque();
    this.scratch = this.allocate(SCRATCH_BYTES);
    this.#inBuffer = this.allocate(PIECE_BYTES);
    this.#writer = this.allocate(STRUCT.writer.size);
    const [snapshotWrite = 0, ...callbacks] = linkTrampolines(this.exports.__indirect_function_table, this.#targets());
    this.view.setUint32(this.#writer + STRUCT.writer.write, snapshotWrite, true);
    this.callbacks = Object.fromEntries(CALLBACK_NAMES.map((name, at) => [name, callbacks[at]])) as CallbackTable;
    this.#identity = this.#keep(new TextEncoder().encode(IDENTITY));
  }

  /** Views of the memory; the module may move it whenever it allocates, so take them anew after each call. */
  get bytes(): Uint8Array {
    this.#refresh();
    return this.#memory;
  }

  get view(): DataView {
    this.#refresh();
    return this.#view;
  }

  allocate(size: number): number {
    const pointer = this.exports.ghostty_wasm_alloc(size);
    if (pointer === 0) throw new Error("terminal engine is out of memory");
    return pointer;
  }

  /** Creates a terminal whose callbacks go to `effects`. */
  newTerminal(effects: TerminalEffects): number {
    const { cols, rows } = effects.size;
    const result = this.exports.ghostty_terminal_new(0, this.#slot, cols, rows);
    if (result !== 0) throw new Error(`terminal engine refused ${cols}x${rows} (${result})`);
    const terminal = this.exports.ghostty_wasm_take_opaque(this.#slot);
    this.#effects.set(terminal, effects);
    return terminal;
  }

  freeTerminal(terminal: number): void {
    this.#effects.delete(terminal);
    this.exports.ghostty_terminal_free(terminal);
  }

  /** Feeds at most PIECE_BYTES. */
  feed(terminal: number, bytes: Uint8Array): void {
    this.bytes.set(bytes, this.#inBuffer);
    this.exports.ghostty_terminal_vt_write(terminal, this.#inBuffer, bytes.length);
  }

  /** Streams the snapshot of a terminal into `sink`. Returns false when the engine could not encode it. */
  encodeSnapshot(terminal: number, sink: SnapshotSink): boolean {
    return this.#stream(sink, () => this.exports.ghostty_snapshot_encode(terminal, this.#writer));
  }

  /** Streams the bytes of the unfinished sequence. Returns false when the engine has not kept them all. */
  encodeContinuation(terminal: number, sink: SnapshotSink): boolean {
    return this.#stream(sink, () => this.exports.ghostty_terminal_continuation_write(terminal, this.#writer));
  }

  /** Reads a borrowed GhosttyString. */
  stringBytes(struct: number): Uint8Array {
    const view = this.view;
    const pointer = view.getUint32(struct + STRUCT.string.ptr, true);
    return this.bytes.subarray(pointer, pointer + view.getUint32(struct + STRUCT.string.len, true));
  }

  #stream(sink: SnapshotSink, encode: () => number): boolean {
    let stopped = false;
    this.#sink = (bytes) => {
      stopped = !sink(bytes);
      return !stopped;
    };
    try {
      return encode() === 0 || stopped;
    } finally {
      this.#sink = undefined;
    }
  }

  #refresh(): void {
    if (this.#memory.buffer === this.exports.memory.buffer) return;
    this.#memory = new Uint8Array(this.exports.memory.buffer);
    this.#view = new DataView(this.exports.memory.buffer);
  }

  #keep(bytes: Uint8Array): { pointer: number; length: number } {
    const pointer = this.allocate(Math.max(1, bytes.length));
    this.bytes.set(bytes, pointer);
    return { pointer, length: bytes.length };
  }

  /** The JavaScript side of every callback, in the order of `nameCallbacks`. */
  #targets(): TrampolineTarget[] {
    const on = (terminal: number): TerminalEffects | undefined => this.#effects.get(terminal);
    const slice = (pointer: number, length: number): Uint8Array => this.bytes.subarray(pointer, pointer + length);
    // Parameters: terminal, user data, then what the callback is about; the snapshot's writer has no terminal.
    return [
      { params: 3, result: true, call: ([, pointer, length]) => Number(this.#sink?.(slice(pointer, length)) ?? false) },
      {
        params: 4,
        result: false,
        call: ([terminal, , pointer, length]) => on(terminal)?.writePty(slice(pointer, length)),
      },
      { params: 2, result: false, call: ([terminal]) => on(terminal)?.bell() },
      { params: 2, result: false, call: ([terminal]) => on(terminal)?.titleChanged() },
      { params: 2, result: false, call: ([terminal]) => on(terminal)?.pwdChanged() },
      { params: 3, result: false, call: ([terminal, , report]) => on(terminal)?.progress(report) },
      { params: 3, result: false, call: ([terminal, , request]) => on(terminal)?.notification(request) },
      { params: 3, result: true, call: ([terminal, , request]) => on(terminal)?.clipboard(request) },
      { params: 3, result: true, call: ([terminal, , out]) => Number(on(terminal)?.reportSize(out) ?? false) },
      { params: 3, result: true, call: ([, , out]) => this.#answerColorScheme(out) },
      { params: 3, result: false, call: ([out]) => this.#answerIdentity(out) },
    ];
  }

  #answerColorScheme(out: number): number {
    this.view.setUint32(out, COLOR_SCHEME_DARK, true);
    return 1;
  }

  #answerIdentity(out: number): void {
    this.view.setUint32(out + STRUCT.string.ptr, this.#identity.pointer, true);
    this.view.setUint32(out + STRUCT.string.len, this.#identity.length, true);
  }
}

/** Compiles the embedded module, which takes about 10 ms of one core and can be done before an engine is needed. */
export function compileGhostty(): WebAssembly.Module {
  return new WebAssembly.Module(readFileSync(wasmPath));
}

/** An instance of the module, which is compiled when none is given. */
export function loadGhosttyRuntime(module = compileGhostty()): GhosttyRuntime {
  return new GhosttyRuntime(module);
}
