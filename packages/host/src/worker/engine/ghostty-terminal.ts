import { CELL_PX, type DATA, OPTION, RESULT_SUCCESS, SCREEN_COLORS } from "./ghostty-abi.ts";
import { CALLBACK_NAMES, type GhosttyRuntime, PIECE_BYTES, type TerminalEffects } from "./ghostty-runtime.ts";
import { MAX_PENDING_BYTES } from "./overlong-sequence.ts";
import { SnapshotCollector, type SnapshotExtent } from "./snapshot-collector.ts";

/** The engine frees history a page at a time, and a page holds about this many cells: without slack 1,000 lines may be 330. */
const PAGE_CELLS = 55_000;
/** Aborts a sequence in every state of the parser. */
export const CANCEL = Uint8Array.of(0x18);
const ESC = 0x1b;
const NO_LIMIT = 0xffffffff;
type Data = (typeof DATA)[keyof typeof DATA];

/** One terminal inside the wasm module: typed access, no policy. */
export class GhosttyTerminal implements Disposable {
  readonly #runtime: GhosttyRuntime;
  readonly #handle: number;
  readonly #historyLines: number;
  #historyBytes = 0;

  constructor(runtime: GhosttyRuntime, effects: TerminalEffects, historyLines: number) {
    this.#runtime = runtime;
    this.#historyLines = historyLines;
    const { cols, rows } = effects.size;
    this.#handle = runtime.newTerminal(effects);
    for (const name of CALLBACK_NAMES) this.#set(OPTION[name], runtime.callbacks[name]);
    this.#setNumber(OPTION.scrollbackMaxBytes, NO_LIMIT);
    this.#setNumber(OPTION.continuationMaxBytes, MAX_PENDING_BYTES + 2 * PIECE_BYTES);
    for (const [option, color] of SCREEN_COLORS) {
      runtime.bytes.set(color, runtime.scratch);
      this.#set(option, runtime.scratch);
    }
    this.resize(cols, rows);
  }

  resize(cols: number, rows: number): void {
    this.#runtime.exports.ghostty_terminal_resize(this.#handle, cols, rows, CELL_PX.width, CELL_PX.height);
    this.#setNumber(OPTION.scrollbackMaxLines, this.historyLimit(cols));
  }

  /** Rows of history that the engine may hold at this width. */
  historyLimit(cols: number): number {
    return this.#historyLines + Math.ceil(PAGE_CELLS / cols);
  }

  /** At most PIECE_BYTES at once. */
  feed(bytes: Uint8Array): void {
    this.#runtime.feed(this.#handle, bytes);
  }

  /** Feeds sequences while an unfinished one waits. False, and nothing is fed, when that can't be put aside. */
  feedAside(sequences: string): boolean {
    const pending = this.continuation(Number.POSITIVE_INFINITY);
    // Cancelling an unfinished character would print a replacement for it.
    if (pending === undefined || (pending.length > 0 && pending[0] !== ESC)) return false;
    if (pending.length > 0) this.feed(CANCEL);
    this.feed(Buffer.from(sequences, "latin1"));
    this.#feedAll(pending);
    return true;
  }

  /** False when the engine would refuse to tell what is on its screens. */
  get canEncode(): boolean {
    return this.#encode("screens") !== undefined;
  }

  getU8(data: Data): number {
    this.#get(data);
    return this.#runtime.bytes[this.#runtime.scratch] ?? 0;
  }

  getU16(data: Data): number {
    this.#get(data);
    return this.#runtime.view.getUint16(this.#runtime.scratch, true);
  }

  getU32(data: Data): number {
    this.#get(data);
    return this.#runtime.view.getUint32(this.#runtime.scratch, true);
  }

  getText(data: Data): string {
    this.#get(data);
    return new TextDecoder().decode(this.#runtime.stringBytes(this.#runtime.scratch));
  }

  /** The unfinished sequence is not always in it; ask `continuation`. */
  snapshot(extent: SnapshotExtent): SnapshotCollector {
    const collector = this.#encode(extent) ?? this.#encodeWithoutSequence(extent);
    if (typeof extent === "number") this.#historyBytes = collector.bytes.length;
    return collector;
  }

  /** The first `limit` bytes of the unfinished sequence or more; undefined when the engine has not kept them all. */
  continuation(limit: number): Uint8Array | undefined {
    let taken: Uint8Array = new Uint8Array(0);
    const isKnown = this.#runtime.encodeContinuation(this.#handle, (piece) => {
      taken = Buffer.concat([taken, piece]);
      return taken.length < limit;
    });
    return isKnown ? taken : undefined;
  }

  [Symbol.dispose](): void {
    this.#runtime.freeTerminal(this.#handle);
  }

  #encode(extent: SnapshotExtent): SnapshotCollector | undefined {
    const collector = new SnapshotCollector(extent, typeof extent === "number" ? this.#historyBytes : 0);
    return this.#runtime.encodeSnapshot(this.#handle, collector.sink) ? collector : undefined;
  }

  /**
   * The encoder refuses some unfinished strings (an APC string with bytes 0x80 to 0x9f in it) that the parser itself is
   * content with: such a one is put aside meanwhile.
   */
  #encodeWithoutSequence(extent: SnapshotExtent): SnapshotCollector {
    const pending = this.continuation(Number.POSITIVE_INFINITY);
    this.feed(CANCEL);
    const collector = this.#encode(extent);
    if (pending !== undefined) this.#feedAll(pending);
    if (collector === undefined) throw new Error("terminal engine could not encode its state");
    return collector;
  }

  #feedAll(bytes: Uint8Array): void {
    for (let offset = 0; offset < bytes.length; offset += PIECE_BYTES) {
      this.feed(bytes.subarray(offset, offset + PIECE_BYTES));
    }
  }

  #get(data: Data): void {
    // A fact without a value (no title yet) leaves the area alone.
    const { view, scratch } = this.#runtime;
    view.setUint32(scratch, 0, true);
    view.setUint32(scratch + 4, 0, true);
    this.#runtime.exports.ghostty_terminal_get(this.#handle, data, this.#runtime.scratch);
  }

  #set(option: number, pointer: number): void {
    const result = this.#runtime.exports.ghostty_terminal_set(this.#handle, option, pointer);
    if (result !== RESULT_SUCCESS) throw new Error(`terminal engine refused option ${option} (${result})`);
  }

  #setNumber(option: number, value: number): void {
    this.#runtime.view.setUint32(this.#runtime.scratch, value, true);
    this.#set(option, this.#runtime.scratch);
  }
}
