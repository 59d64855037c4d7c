import type { HookReport } from "../../worker-api/hooks.ts";

/** What a hook may tell of what its agent gave it. Nothing else of a payload leaves the hook's process. */
export type HookMessage =
  | { readonly type: "identity_report"; readonly id?: string; readonly path?: string }
  | Extract<HookReport, { readonly type: `subagent_${string}` }>;

export type HookPayload = Readonly<Record<string, unknown>>;

/** How one agent's hooks are read. Compiled in: packages choose a handler by its id and bring none. */
export interface HookHandler {
  readonly id: string;
  /** Base names of the agent's program. */
  readonly processNames: readonly string[];
  /** By the agent's own name of the event. */
  readonly events: Readonly<Record<string, (payload: HookPayload) => readonly HookMessage[]>>;
  readonly settings: HookSettings;
}

/** Where the agent is told which programs to run at which event. */
export interface HookSettings {
  /** Variable and folder below the home by which the agent finds its settings, also when no package says so. */
  readonly configHome: { readonly variable: string; readonly default: string };
  /** JSON below the configuration home, with `hooks`: { event: [group] }. */
  readonly file: string;
  /** Seconds or milliseconds, as the agent counts. */
  readonly timeout: number;
  /** The file holds nothing but hooks, so one that we made is taken away again. */
  readonly isHooksOnly: boolean;
  /** What the agent's user must do before it runs hooks that are new to it. */
  readonly trustStep?: string;
}
