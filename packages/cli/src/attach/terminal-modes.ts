import { KeyModes } from "./key-modes.ts";
import { OscState } from "./osc-state.ts";
import { PrivateModes } from "./private-modes.ts";
import { ScreenModes } from "./screen-modes.ts";
import type { CsiSequence, SequenceListener } from "./sequence-scanner.ts";
import { TabStops } from "./tab-stops.ts";
import { TextState } from "./text-state.ts";

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
  readonly #text = new TextState();
  readonly #osc = new OscState();
  readonly #keys = new KeyModes();
  readonly #main = new ScreenModes();
  readonly #alternate = new ScreenModes();
  readonly #tabs = new TabStops();
  readonly #ansiModes = new Set<number>();
  /** The modes that led to the alternate screen; none while the main one is shown. */
  readonly #ways = new Set<AlternateMode>();
  #titlesPushed = 0;
  #rows: number;

  constructor(rows: number) {
    this.#rows = rows;
  }

  get isAlternate(): boolean {
    return this.#ways.size > 0;
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

  get #screen(): ScreenModes {
    return this.isAlternate ? this.#alternate : this.#main;
  }

  /** Shift-out and shift-in act outside of sequences, so the scanner does not see them. */
  onShift(isOut: boolean): void {
    this.#text.charsets.shift(isOut);
  }

  onEscape(intermediate: number, final: number): void {
    const last = String.fromCharCode(final);
    if (intermediate === 0) {
      if (last === "=") this.#keys.isKeypadApplication = true;
      else if (last === ">") this.#keys.isKeypadApplication = false;
      else if (last === "c") this.#hardReset();
      else if (last === "H") this.#tabs.set();
      else if (last === "n" || last === "o") this.#text.charsets.shift(true);
      else if (last === "7") this.#saveCursor();
      else if (last === "8") this.#restoreCursor();
      return;
    }
    this.#text.charsets.designate(intermediate, final);
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
        if (final === "q") this.#screen.hasShape = first !== 0;
        return;
      case 0x22: // " q
        if (final === "q") this.#text.isProtecting = first === 1;
        return;
      default:
        return;
    }
    if (final === "m") this.#text.attributes.apply(sequence);
    else if (final === "r")
      this.#screen.hasRegion = sequence.value(0, 1) > 1 || (sequence.value(1, 0) || this.#rows) < this.#rows;
    else if (final === "s") this.#saveCursor();
    else if (final === "u") this.#restoreCursor();
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
      else if (mode === 1048 && final === "h") this.#saveCursor();
      else if (mode === 1048) this.#restoreCursor();
      else this.#private.set(mode, final === "h");
    }
  }

  #setAlternate(mode: AlternateMode, isOn: boolean): void {
    if (isOn) {
      if (mode === 1049) this.#saveCursor();
      this.#ways.add(mode);
      return;
    }
    this.#ways.clear();
    this.#main.inherit(this.#alternate);
    if (mode === 1049) this.#restoreCursor();
  }

  #saveCursor(): void {
    this.#screen.saved = this.#text.save(this.#private.hasOrigin);
  }

  #restoreCursor(): void {
    this.#bringBack(this.#screen);
  }

  #bringBack({ saved }: ScreenModes): void {
    this.#text.merge(saved);
    // Not all terminals give back origin mode; that it was off before is no proof that it is.
    if (saved?.isOrigin === true) this.#private.setOrigin();
  }

  #onGreaterCsi(sequence: CsiSequence): void {
    const first = sequence.value(0, 0);
    switch (String.fromCharCode(sequence.final)) {
      case "u":
        this.#screen.keyboard.push(first);
        return;
      case "m":
        this.#keys.modify(first, sequence.value(1, 0));
        return;
      case "n":
        // Absent means modifyFunctionKeys.
        this.#keys.disable(sequence.value(0, 2));
    }
  }

  #onKeyboardCsi(sequence: CsiSequence): void {
    if (sequence.final !== 0x75) return; // u
    if (sequence.prefix === 0x3c) this.#screen.keyboard.pop(sequence.value(0, 1));
    else this.#screen.keyboard.set(sequence.value(0, 0), sequence.value(1, 1));
  }

  /** RIS. The soft reset (DECSTR) is not followed: terminals differ in what it takes back. */
  #hardReset(): void {
    this.#text.reset();
    this.#keys.reset();
    this.#private.reset();
    this.#osc.hardReset();
    this.#main.reset();
    this.#alternate.reset();
    this.#ansiModes.clear();
    this.#ways.clear();
    this.#tabs.reset();
  }

  /** The bytes that put the terminal back, most of it while the session's screen is still shown. `columns` is for the tab stops. */
  restore(columns: number): Restoration {
    const wasAlternate = this.isAlternate;
    const hadOrigin = this.#private.hasOrigin;
    const tabs = this.#tabs.restore(columns);
    const onAlternate = wasAlternate ? this.#leaveAlternate() : "";
    const bytes =
      onAlternate + this.#private.restoreFirst() + this.#main.restoreRegion() + this.#main.keyboard.restore();
    const rest = this.#restoreText() + this.#keys.restore() + this.#private.restoreRest() + tabs;
    [this.#main.saved, this.#alternate.saved] = [undefined, undefined];
    return { bytes: bytes + rest, didMoveCursor: !wasAlternate && hadOrigin };
  }

  /** Undoes what the alternate screen has for itself, then leaves it by all the modes that led there. */
  #leaveAlternate(): string {
    const before = this.#private.restoreFirst() + this.#alternate.restoreRegion() + this.#alternate.keyboard.restore();
    const ways = [...this.#ways].sort((one, other) => other - one);
    this.#ways.clear();
    // Either way the cursor that was saved on the main screen is there again, with what was saved beside it.
    this.#bringBack(this.#main);
    return `${before}\x1b[?${ways.join(";")}l${ways[0] === 1049 ? "" : "\x1b8"}`;
  }

  /** The part of it that text of this program needs. */
  settle(): string {
    return this.#private.restoreFirst() + this.#text.charsets.restore();
  }

  #restoreText(): string {
    // An open link is an attribute to some terminals, so it is closed before those are taken back.
    const text =
      this.#osc.restore() +
      this.#text.restore() +
      [...this.#ansiModes].map((mode) => `\x1b[${mode}l`).join("") +
      (this.#main.hasShape || this.#alternate.hasShape ? "\x1b[0 q" : "");
    this.#ansiModes.clear();
    [this.#main.hasShape, this.#alternate.hasShape] = [false, false];
    return text;
  }

  /** Titles that the session pushed and did not take back; negative when it took more. */
  takePushedTitles(): number {
    const pushed = this.#titlesPushed;
    this.#titlesPushed = 0;
    return pushed;
  }
}
