import type { SavedCharacterSets } from "./character-sets.ts";
import { CharacterSets } from "./character-sets.ts";
import { TextAttributes } from "./text-attributes.ts";

/** What a saved cursor (DECSC) keeps beside its place. */
export interface SavedText {
  readonly attributes: number;
  readonly charsets: SavedCharacterSets;
  readonly isProtecting: boolean;
  readonly isOrigin: boolean;
}

/** How text would be printed now. */
export class TextState {
  readonly attributes = new TextAttributes();
  readonly charsets = new CharacterSets();
  isProtecting = false;

  save(isOrigin: boolean): SavedText {
    const { attributes, charsets, isProtecting } = this;
    return { attributes: attributes.flags, charsets: charsets.save(), isProtecting, isOrigin };
  }

  /** A saved cursor comes back. Terminals give back less than they should, so that what was there before counts, too. */
  merge(saved: SavedText | undefined): void {
    if (saved === undefined) return;
    this.attributes.flags |= saved.attributes;
    this.charsets.merge(saved.charsets);
    this.isProtecting ||= saved.isProtecting;
  }

  reset(): void {
    this.attributes.reset();
    this.charsets.reset();
    this.isProtecting = false;
  }

  restore(): string {
    const plain = this.attributes.areDefault ? "" : "\x1b[0m";
    const unprotected = this.isProtecting ? '\x1b[0"q' : "";
    const bytes = plain + unprotected + this.charsets.restore();
    this.reset();
    return bytes;
  }
}
