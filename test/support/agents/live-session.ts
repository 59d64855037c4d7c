/** One session of a real agent: what it shows, what is told of it, what the model was asked, and the user's hands. */

import { until } from "../index.ts";
import type { LiveHost, Ran } from "./live-host.ts";
import type { LoggedRequest } from "./model-server.ts";
import type { ToldState } from "./state-watch.ts";
import { StateWatch } from "./state-watch.ts";

/** Between two keys of a user; agents take two quick ones for one. */
const KEY_GAP_MS = 300;
/** Who answers has read the question; meanwhile marks blink on the screen. */
const READING_MS = 700;
const AFTER_START_MS = 500;
const ANSWER_MS = 60_000;

export interface Seen {
  /** `Date.now()` when it was first seen. */
  readonly at: number;
  readonly text: string;
}

export interface StartOptions {
  readonly name?: string;
  readonly input?: string;
}

interface Facts {
  readonly id: string;
  readonly state: string;
  readonly activity?: string;
  readonly activity_detail?: { readonly question?: { readonly text: string; readonly revision: string } };
  readonly exit_code?: number;
  readonly pid: number;
}

export class LiveSession implements AsyncDisposable {
  readonly id: string;
  readonly watch: StateWatch;
  readonly #host: LiveHost;

  private constructor(host: LiveHost, id: string, watch: StateWatch) {
    this.#host = host;
    this.id = id;
    this.watch = watch;
  }

  static async start(host: LiveHost, options: StartOptions = {}): Promise<LiveSession> {
    const name = options.name === undefined ? [] : ["--name", options.name];
    const input = options.input === undefined ? [] : ["--input", options.input];
    const { id } = await host.json<Facts>(
      "new",
      "--agent",
      host.recipe.agent,
      "--cwd",
      host.project,
      ...name,
      ...input,
    );
    return await LiveSession.open(host, id);
  }

  static async open(host: LiveHost, id: string): Promise<LiveSession> {
    return new LiveSession(host, id, await StateWatch.start(host.socket, id));
  }

  async facts(): Promise<Facts> {
    return await this.#host.call<Facts>("session.inspect", this.id);
  }

  async screen(): Promise<string> {
    const params = { session_id: this.id, source: "visible" };
    return (await this.#host.call<{ text: string }>("session.read", params)).text;
  }

  async untilScreen(what: string, pattern: RegExp, timeoutMs = ANSWER_MS): Promise<Seen> {
    let text = "";
    try {
      return await until(
        what,
        async () => {
          text = await this.screen();
          return pattern.test(text) && { at: Date.now(), text };
        },
        timeoutMs,
      );
    } catch (cause) {
      throw new Error(`${what}; the screen was:\n${text}`, { cause });
    }
  }

  /** Ready for a prompt: so it is told, and so its screen looks. */
  async untilReady(): Promise<void> {
    await this.untilScreen("the prompt", this.#host.recipe.screen.ready);
    await this.untilTold("idle");
    // Codex tells a short turn of its own right after its start.
    await Bun.sleep(AFTER_START_MS);
    await this.untilTold("idle");
  }

  /** What is told now, when it is this; else waits until it is. */
  async untilTold(activity: string): Promise<void> {
    await this.untilToldWithin(activity, ANSWER_MS);
  }

  /** As untilTold, for a truth that is known now. */
  async untilToldWithin(activity: string, timeoutMs: number): Promise<void> {
    await until(
      `${this.id} to be told ${activity}`,
      async () => (await this.facts()).activity === activity,
      timeoutMs,
    ).catch(async (cause: unknown) => {
      const explained = await this.#host.run("explain", this.id);
      throw new Error(`not told ${activity}; ${this.watch.describe(0)}\n${explained.out}${await this.screen()}`, {
        cause,
      });
    });
  }

  /** Sends a prompt with the command line client. */
  async send(prompt: string, ...flags: readonly string[]): Promise<Ran> {
    const sent = await this.#host.run("send", this.id, ...flags, "--", prompt);
    if (sent.code !== 0)
      throw new Error(
        `send: ${sent.code} ${sent.out}${sent.err}\ntold: ${this.watch.describe(Date.now() - 8000)}\n${await this.screen()}`,
      );
    return sent;
  }

  /** Answers the question that is told, as one who has read it: it has stood still for a moment. */
  async answer(choice: string): Promise<Ran> {
    const find = async (): Promise<string | undefined> => (await this.facts()).activity_detail?.question?.revision;
    const revision = await until(
      "the question to stand still",
      async () => {
        const seen = await find();
        if (seen === undefined) return undefined;
        await Bun.sleep(READING_MS);
        return (await find()) === seen && seen;
      },
      ANSWER_MS,
    );
    return await this.#host.run("answer", this.id, choice, "--revision", revision);
  }

  /** Types keys as somebody who has attached a terminal. */
  async press(keys: readonly string[]): Promise<void> {
    await using terminal = await this.#host.attach(this.id);
    for (const [index, key] of keys.entries()) {
      if (index > 0) await Bun.sleep(KEY_GAP_MS);
      terminal.write(key);
    }
    await Bun.sleep(KEY_GAP_MS);
  }

  /** The requests of the conversation whose newest prompt this is, oldest first. An unanswered prompt may stand before it. */
  async requestsFor(prompt: string): Promise<LoggedRequest[]> {
    const requests = await this.#host.requests();
    return requests.filter((request) => !request.isAside && `\n${request.prompt}`.endsWith(`\n${prompt}`));
  }

  async untilRequest(prompt: string, count = 1): Promise<LoggedRequest> {
    try {
      return await until(
        `request ${count} for ${JSON.stringify(prompt)}`,
        async () => (await this.requestsFor(prompt))[count - 1],
        ANSWER_MS,
      );
    } catch (cause) {
      throw new Error(`${(cause as Error).message}; the screen was:\n${await this.screen()}`, { cause });
    }
  }

  /** The request once its answer has ended, by the model or by the agent. */
  async untilAnswered(prompt: string, count = 1): Promise<Required<LoggedRequest>> {
    return await until(
      `the answer ${count} to ${JSON.stringify(prompt)}`,
      async () => {
        const request = (await this.requestsFor(prompt))[count - 1];
        return request?.endedAt !== undefined && (request as Required<LoggedRequest>);
      },
      ANSWER_MS,
    ).catch(async (cause: unknown) => {
      const prompts = (await this.#host.requests()).slice(-3).map((request) => JSON.stringify(request.prompt));
      throw new Error(`${(cause as Error).message}; asked last was ${prompts.join(", ")}\n${await this.screen()}`, {
        cause,
      });
    });
  }

  /** When the turn of an answered prompt was over for who looks at it. */
  async untilTurnEnds(prompt: string, count = 1): Promise<number> {
    const { endedAt } = await this.untilAnswered(prompt, count);
    const { working } = this.#host.recipe.screen;
    if (working === undefined || !working.test(await this.screen())) return endedAt;
    return (await this.untilScreen("the end of the turn", inverse(working))).at;
  }

  /** Told idle after the turn of a prompt; a very short turn may have been told as none. */
  async untilIdleAfter(prompt: string): Promise<void> {
    const { at } = await this.untilAnswered(prompt);
    const end = await this.untilTurnEnds(prompt);
    const isTold = (): boolean => this.watch.told.some((state) => state.at >= at && state.activity === "idle");
    await until("the turn to be over", () => isTold() || Date.now() - end > NEAR_MS, ANSWER_MS);
    await this.untilTold("idle");
  }

  /** Told within a second of the truth. */
  async untilToldNear(activity: string, truth: number, since: number): Promise<ToldState> {
    const state = await this.watch.until(`${activity} to be told`, since, (told) => told.activity === activity);
    if (state.at - truth > NEAR_MS) {
      throw new Error(`${activity} was told ${state.at - truth} ms after the truth: ${this.watch.describe(since)}`);
    }
    return state;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.watch[Symbol.asyncDispose]();
  }
}

/** Matches a text that `pattern` does not match. */
const inverse = (pattern: RegExp): RegExp => new RegExp(`^(?![\\s\\S]*(?:${pattern.source}))`);

/** The bound for telling a change. */
const NEAR_MS = 1000;
