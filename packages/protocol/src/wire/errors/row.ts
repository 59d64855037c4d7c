/** Where a failure comes from. Clients branch on class and code and show what they do not know. */
export type ErrorClass = "configuration" | "daemon" | "transport" | "runtime" | "discovery";

export const ERROR_CLASSES: readonly ErrorClass[] = ["configuration", "daemon", "transport", "runtime", "discovery"];

/** What is known about one error code. */
export interface ErrorRow {
  readonly class: ErrorClass;
  /** One sentence for a person, used when the failure brings no more exact one. */
  readonly sentence: string;
  /** What to do next. Travels as `recover`. */
  readonly hint?: string;
  /** True when the same request may succeed later without anything else being changed. */
  readonly retryable: boolean;
  /** Exit code of a command that ends with this error. */
  readonly exitCode: number;
  /** Who may produce it, where that is not the daemon. */
  readonly side?: "client" | "cli";
  /** Not in the protocol's own list: an addition of this implementation. */
  readonly isOurs?: true;
}

type Extra = Partial<Omit<ErrorRow, "class" | "sentence">>;

function rowOf(errorClass: ErrorClass): (sentence: string, extra?: Extra) => ErrorRow {
  return (sentence, extra) => ({ class: errorClass, sentence, retryable: false, exitCode: 1, ...extra });
}

export const configuration = rowOf("configuration");
export const daemon = rowOf("daemon");
export const transport = rowOf("transport");
export const runtime = rowOf("runtime");
export const discovery = rowOf("discovery");
