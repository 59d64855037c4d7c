/** What keeps a session, or, as the base, a plain PTY that keeps none. */
export interface Target extends AsyncDisposable {
  readonly name: TargetName;
  /** What its commands run with. */
  readonly env: Readonly<Record<string, string>>;
  /** Starts a session that runs the program, with nobody attached, and returns when the creating command has ended. */
  create(session: string, argv: readonly string[]): void;
  /** The command that a person attaches with. */
  attachCommand(session: string): readonly string[];
  /** The command that lists the sessions. */
  listCommand(): readonly string[];
  /** All output of a program that ends by itself; undefined for a target that does not keep it. */
  readonly readOutput?: (session: string) => string;
  /** The socket on which other programs make requests, where there is one. */
  readonly controlSocket?: string;
  destroy(session: string): void;
  /** The processes that hold the sessions, without the programs in them. */
  sessionProcesses(): number[];
  /** The processes that serve all sessions together. */
  serverProcesses(): number[];
}

export type TargetName = "plain" | "tmux" | "pohunek";
