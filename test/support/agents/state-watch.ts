/** What a daemon tells of one session's activity, with the moment at which it arrived here. */

import { RawClient, until } from "../index.ts";

export interface ToldState {
  /** `Date.now()` on arrival. */
  readonly at: number;
  readonly activity: string;
  readonly source: string;
  /** Kind of the activity's detail, as `retrying`. */
  readonly detail?: string;
  readonly text?: string;
}

interface AgentStateEvent {
  readonly event: string;
  readonly session_id?: string;
  readonly activity?: string;
  readonly source?: string;
  readonly activity_detail?: { readonly kind: string; readonly text?: string };
}

/** The longest that a timer can wait: the watch is ended by its test. */
const ENDLESS_MS = 2_147_483_647;

export class StateWatch implements AsyncDisposable {
  readonly told: ToldState[] = [];
  readonly #client: RawClient;

  private constructor(client: RawClient) {
    this.#client = client;
  }

  static async start(socket: string, sessionId: string): Promise<StateWatch> {
    const client = await RawClient.connect({ unix: socket });
    await client.call("subscribe");
    const watch = new StateWatch(client);
    void watch.#read(sessionId);
    return watch;
  }

  async #read(sessionId: string): Promise<void> {
    for (let line = await this.#next(); line !== undefined; line = await this.#next()) {
      const event = JSON.parse(line) as AgentStateEvent;
      if (event.event === "agent_state" && event.session_id === sessionId) {
        const { activity = "", source = "", activity_detail: detail } = event;
        this.told.push({ at: Date.now(), activity, source, detail: detail?.kind, text: detail?.text });
      }
    }
  }

  async #next(): Promise<string | undefined> {
    return await this.#client.nextLine(ENDLESS_MS);
  }

  /** The first state after `since` that `isWanted` accepts. */
  async until(what: string, since: number, isWanted: (state: ToldState) => boolean): Promise<ToldState> {
    return await until(
      `${what}; told was ${this.describe(since)}`,
      () => this.told.find((state) => state.at >= since && isWanted(state)),
      20_000,
    ).catch((cause: unknown) => {
      throw new Error(`${what}; told was ${this.describe(since)}`, { cause });
    });
  }

  /** The states told from then on, for a message. */
  describe(since: number): string {
    const told = this.told.filter((state) => state.at >= since);
    return told
      .map(({ at, activity, source, detail }) => `+${at - since} ${activity}/${detail ?? "-"} by ${source}`)
      .join(", ");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client[Symbol.asyncDispose]();
  }
}
