/** What one `--flag` of a command takes. `summary` is its line in the help. */
interface FlagBase {
  readonly summary: string;
  /** One letter for `-x`. */
  readonly short?: string;
  /** Left out of help and completion. */
  readonly isHidden?: true;
}

export interface SwitchFlag extends FlagBase {
  readonly type: "switch";
}

export interface TextFlag extends FlagBase {
  readonly type: "text";
  /** The word for the value in the help. */
  readonly value: string;
  readonly choices?: readonly string[];
  /** What the shell completes here. */
  readonly completes?: "agent";
}

export interface ListFlag extends FlagBase {
  readonly type: "list";
  readonly value: string;
  readonly choices?: readonly string[];
}

export interface IntegerFlag extends FlagBase {
  readonly type: "integer";
  readonly value: string;
  readonly range: readonly [minimum: number, maximum: number];
}

export interface DurationFlag extends FlagBase {
  readonly type: "duration";
  readonly value: string;
}

export interface PairsFlag extends FlagBase {
  readonly type: "pairs";
  readonly value: string;
}

export type Flag = SwitchFlag | TextFlag | ListFlag | IntegerFlag | DurationFlag | PairsFlag;

export type Flags = Readonly<Record<string, Flag>>;

/** What a flag's value is after parsing. Durations are milliseconds. */
type FlagValue<F extends Flag> = F extends SwitchFlag
  ? boolean
  : F extends ListFlag
    ? readonly string[]
    : F extends PairsFlag
      ? Readonly<Record<string, string>>
      : F extends TextFlag
        ? string | undefined
        : number | undefined;

/** Flags as a command gets them, under the names of its own table (`baseBranch` for `--base-branch`). */
export type FlagValues<F extends Flags> = { readonly [Name in keyof F]: FlagValue<F[Name]> };

/** `baseBranch` is written `--base-branch`. */
export function flagText(name: string): string {
  return `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
