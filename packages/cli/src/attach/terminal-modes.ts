import { CharacterSets } from "./character-sets.ts";
import { KeyboardStack } from "./keyboard-stacks.ts";
import { OscState } from "./osc-state.ts";
import { PrivateModes } from "./private-modes.ts";
import type { CsiSequence, SequenceListener } from "./sequence-scanner.ts";
import { TabStops } from "./tab-stops.ts";
import { TextAttributes } from "./text-attributes.ts";

/** Which mode opened the alternate screen; leaving it takes the same. */
type AlternateMode = 47 | 1047 | 1049;

const INSERT = 4;
const NEW_LINE = 20;

/** What `restore` gives back. */
export interface Restoration {
  readonly bytes: string;
  /** The cursor could not be kept where it was. */
  readonly didMoveCursor: boolean;
}

/**
 * What the session's output has changed in the local terminal. `restore` undoes exactly that: for a session that changed
 * nothing it is empty, and so it is when called again.
 */
export class TerminalModes implements SequenceListener {
  readonly #private = new PrivateModes();
  readonly #attributes = new TextAttributes();
  readonly #osc = new OscState();
  readonly #mainKeyboard = new KeyboardStack();
  readonly #alternateKeyboard = new KeyboardStack();
  readonly #tabs = new TabStops();
  readonly #charsets = new CharacterSets();
  readonly #modifiedKeys = new Set<number>();
  readonly #ansiModes = new Set<number>();
  #alternate: AlternateMode | undefined;
  #isKeypadApplication = false;
  #cursorStyle = 0;
  #hasRegion = false;
  #isProtecting = false;
  #titlesPushed = 0;
  #rows: number;

  constructor(rows: number) {
    this.#rows = rows;
  }

  get isAlternate(): boolean {
    return this.#alternate !== undefined;
  }

  get hasTitle(): boolean {
    return this.#osc.hasTitle;
  }

  /** The picture stands still until the program says so. */
  get holdsFrame(): boolean {
    return this.#private.holdsFrame;
  }

  set rows(rows: number) {
    this.#rows = rows;
  }

  /** Shift-out and shift-in act outside of sequences, so the scanner does not see them. */
  onShift(isOut: boolean): void {
    this.#charsets.shift(isOut);
  }

  onEscape(intermediate: number, final: number): void {
    const last = String.fromCharCode(final);
    if (intermediate === 0) {
      if (last === "=") this.#isKeypadApplication = true;
      else if (last === ">") this.#isKeypadApplication = false;
      else if (last === "c") this.#hardReset();
      else if (last === "H") this.#tabs.set();
      else if (last === "n" || last === "o") this.#charsets.shift(true);
      return;
    }
    this.#charsets.designate(intermediate, final);
  }

  onOsc(text: string, isWhole: boolean): void {
    this.#osc.apply(text, isWhole);
  }

  onCsi(sequence: CsiSequence): void {
    this.#tabs.moveTo(undefined);
    switch (sequence.prefix) {
      case 0:
        this.#onPlainCsi(sequence);
        return;
      case 0x3f: // ?
        this.#onPrivateCsi(sequence);
        return;
      case 0x3e: // >
        this.#onGreaterCsi(sequence);
        return;
      default:
        this.#onKeyboardCsi(sequence);
    }
  }

  #onPlainCsi(sequence: CsiSequence): void {
    const final = String.fromCharCode(sequence.final);
    const first = sequence.value(0, 0);
    switch (sequence.intermediate) {
      case 0:
        break;
      case 0x20: // SP q
        if (final === "q") this.#cursorStyle = first;
        return;
      case 0x21: // ! p
        if (final === "p") this.#softReset();
        return;
      case 0x22: // " q
        if (final === "q") this.#isProtecting = first === 1;
        return;
      default:
        return;
    }
    if (final === "m") this.#attributes.apply(sequence);
    else if (final === "r")
      this.#hasRegion = sequence.value(0, 1) > 1 || (sequence.value(1, 0) || this.#rows) < this.#rows;
    else if (final === "h" || final === "l") this.#setAnsiModes(sequence, final === "h");
    else if (final === "g") this.#clearTabs(first);
    else if (final === "G") this.#tabs.moveTo(sequence.value(0, 1));
    else if (final === "t") this.#onWindowCsi(first);
  }

  #setAnsiModes(sequence: CsiSequence, isOn: boolean): void {
    for (let index = 0; index < sequence.count; index += 1) {
      const mode = sequence.value(index, 0);
      if (mode !== INSERT && mode !== NEW_LINE) continue;
      if (isOn) this.#ansiModes.add(mode);
      else this.#ansiModes.delete(mode);
    }
  }

  #clearTabs(which: number): void {
    if (which === 3) this.#tabs.clearAll();
    else this.#tabs.clearOne();
  }

  #onWindowCsi(operation: number): void {
    if (operation === 22) this.#titlesPushed += 1;
    else if (operation === 23) this.#titlesPushed -= 1;
  }

  #onPrivateCsi(sequence: CsiSequence): void {
    const final = String.fromCharCode(sequence.final);
    if (sequence.intermediate !== 0) return;
    if (final === "W" && sequence.value(0, 0) === 5) this.#tabs.reset();
    if (final !== "h" && final !== "l") return;
    for (let index = 0; index < sequence.count; index += 1) {
      const mode = sequence.value(index, 0);
      if (mode === 47 || mode === 1047 || mode === 1049) this.#setAlternate(mode, final === "h");
      else this.#private.set(mode, final === "h");
    }
  }

  #setAlternate(mode: AlternateMode, isOn: boolean): void {
    if (!isOn) this.#alternate = undefined;
    else this.#alternate ??= mode;
  }

  #onGreaterCsi(sequence: CsiSequence): void {
    const first = sequence.value(0, 0);
    switch (String.fromCharCode(sequence.final)) {
      case "u":
        this.#keyboard.push(first);
        return;
      case "m":
        if (sequence.value(1, 0) === 0) this.#modifiedKeys.delete(first);
        else this.#modifiedKeys.add(first);
        return;
      case "n":
        // Absent means modifyFunctionKeys.
        this.#modifiedKeys.add(sequence.value(0, 2));
    }
  }

  #onKeyboardCsi(sequence: CsiSequence): void {
    if (sequence.final !== 0x75) return; // u
    if (sequence.prefix === 0x3c) this.#keyboard.pop(sequence.value(0, 1));
    else this.#keyboard.set(sequence.value(0, 0), sequence.value(1, 1));
  }

  /** Each screen has a keyboard stack of its own. */
  get #keyboard(): KeyboardStack {
    return this.#alternate === undefined ? this.#mainKeyboard : this.#alternateKeyboard;
  }

  #softReset(): void {
    this.#private.softReset();
    this.#attributes.reset();
    this.#charsets.reset();
    this.#ansiModes.delete(INSERT);
    this.#isKeypadApplication = false;
    this.#hasRegion = false;
    this.#isProtecting = false;
  }

  #hardReset(): void {
    this.#softReset();
    this.#private.reset();
    this.#osc.reset();
    this.#mainKeyboard.restore();
    this.#alternateKeyboard.restore();
    this.#modifiedKeys.clear();
    this.#ansiModes.clear();
    this.#alternate = undefined;
    this.#cursorStyle = 0;
    this.#tabs.reset();
  }

  /** The bytes that put the terminal back, most of it while the session's screen is still shown. `columns` is for the tab stops. */
  restore(columns: number): Restoration {
    const alternate = this.#alternate;
    const hadOrigin = this.#private.has(6);
    const region = this.#restoreRegion();
    const onAlternate = this.#alternateKeyboard.restore();
    const leave = alternate === undefined ? "" : `\x1b[?${alternate}l${alternate === 1049 ? "" : "\x1b8"}`;
    const tabs = this.#tabs.restore(columns);
    this.#alternate = undefined;
    const bytes = this.#private.restoreFirst() + region + onAlternate + leave + this.#mainKeyboard.restore();
    return {
      bytes: bytes + this.#restoreText() + this.#restoreKeys() + this.#private.restoreRest() + tabs,
      didMoveCursor: alternate === undefined && hadOrigin,
    };
  }

  /** The part of it that text of this program needs. */
  settle(): string {
    return this.#private.restoreFirst() + this.#charsets.restore();
  }

  #restoreRegion(): string {
    const had = this.#hasRegion;
    this.#hasRegion = false;
    // Setting the region moves the cursor home.
    return had ? "\x1b7\x1b[r\x1b8" : "";
  }

  #restoreText(): string {
    const text =
      (this.#attributes.areDefault ? "" : "\x1b[0m") +
      (this.#isProtecting ? '\x1b[0"q' : "") +
      this.#charsets.restore() +
      [...this.#ansiModes].map((mode) => `\x1b[${mode}l`).join("") +
      (this.#cursorStyle === 0 ? "" : "\x1b[0 q") +
      this.#osc.restore();
    this.#attributes.reset();
    this.#ansiModes.clear();
    this.#isProtecting = false;
    this.#cursorStyle = 0;
    return text;
  }

  #restoreKeys(): string {
    const modified = [...this.#modifiedKeys].map((resource) => `\x1b[>${resource}m`).join("");
    const keypad = this.#isKeypadApplication ? "\x1b>" : "";
    this.#modifiedKeys.clear();
    this.#isKeypadApplication = false;
    return modified + keypad;
  }

  /** Titles that the session pushed and did not take back; negative when it took more. */
  takePushedTitles(): number {
    const pushed = this.#titlesPushed;
    this.#titlesPushed = 0;
    return pushed;
  }
}
