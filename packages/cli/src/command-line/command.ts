import type { CommandContext } from "../context.ts";
import type { Flags, FlagValues } from "./flag.ts";

export interface Argument {
  readonly name: string;
  readonly summary: string;
  readonly isOptional?: true;
  /** Takes all the words that are left. */
  readonly isRest?: true;
  /** What the shell completes here. */
  readonly completes?: "session" | readonly string[];
}

/** What a command has to say. `human` is only called when JSON was not asked for. */
export interface CommandResult {
  readonly ok: unknown;
  readonly human: () => string;
  /** 0 when absent. */
  readonly exitCode?: number;
}

export interface Invocation<F extends Flags = Flags> {
  readonly flags: FlagValues<F>;
  readonly words: readonly string[];
}

/** One command of the program. Help, completion and docs are made from these fields. */
export interface Command<F extends Flags = Flags> {
  /** `session new`; the name that help uses first. */
  readonly name: string;
  /** Shorter or older ways to say the same. */
  readonly aliases?: readonly string[];
  readonly summary: string;
  /** More paragraphs for `help <command>`. */
  readonly details?: readonly string[];
  readonly arguments?: readonly Argument[];
  readonly flags: F;
  /** Words after the first argument belong to that argument's program, flags or not. */
  readonly stopsAtFirstWord?: true;
  /** How it prints: one document (the default), lines of its own, or the terminal itself, where `--json` makes no sense. */
  readonly output?: "document" | "stream" | "terminal";
  readonly isHidden?: true;
  /** Stands in the first part of the help. */
  readonly isDaily?: true;
  /** A result to print, or the exit code of a command that has printed for itself. */
  readonly run: (context: CommandContext, invocation: Invocation<F>) => Promise<CommandResult | number>;
}

/** Keeps the flag types of a command for its own `run`, and forgets them for the table. */
export function command<const F extends Flags>(definition: Command<F>): Command {
  return definition as unknown as Command;
}
