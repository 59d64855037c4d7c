import type { SessionInfo } from "@pohunek/protocol";
import type { SessionId } from "@pohunek/protocol/wire";
import { isProtocolError, TERMINAL_SESSION_STATES } from "@pohunek/protocol/wire";
import type { Client } from "@pohunek/sdk";
import { plainText } from "../output/plain-text.ts";
import { checkDisplayName, chooseName } from "../sessions/display-name.ts";
import type { MenuChoice } from "./menu-choice.ts";
import { BACK, detached, ended } from "./menu-choice.ts";
import type { MenuPromptOptions } from "./menu-prompt.ts";
import { MenuLeft, MenuPrompt } from "./menu-prompt.ts";

interface MenuRequest extends MenuPromptOptions {
  readonly client: Client;
  readonly sessionId: SessionId;
  /** The daemon answers: the session's picture may be given up, since it can give another. */
  readonly onDaemon: () => void;
}

/** A daemon answers in a millisecond; whoever opened the menu must not wait for one that hangs. */
const PATIENCE_MS = 300;
/** An action that takes longer than this says so, and so again later. */
const QUIET_MS = 1_500;

/** The menu behind Ctrl-\: one line over a row of the screen, one key for each action. */
export class AttachMenu {
  readonly #request: MenuRequest;
  readonly #prompt: MenuPrompt;
  readonly #watching = new AbortController();

  constructor(request: MenuRequest) {
    this.#request = request;
    this.#prompt = new MenuPrompt(request);
  }

  async run(): Promise<MenuChoice> {
    try {
      this.#prompt.begin();
      const session = await this.#inspect();
      if (session === undefined) return await this.#chooseAlone();
      this.#request.onDaemon();
      void this.#watchEnd();
      return await this.#choose(session);
    } catch (error) {
      if (error instanceof MenuLeft) return error.choice;
      if (!isProtocolError(error)) throw error;
      // Whatever is wrong with the session or its daemon, going back finds it out and tells it.
      return BACK;
    } finally {
      this.#watching.abort();
    }
  }

  /** Undefined when the daemon hangs. */
  async #inspect(): Promise<SessionInfo | undefined> {
    const { client, sessionId } = this.#request;
    try {
      return await client.call("session.inspect", sessionId, { timeoutMs: PATIENCE_MS });
    } catch (error) {
      if (isProtocolError(error, "request_timeout")) return undefined;
      throw error;
    }
  }

  /** A session that ends while its menu is open takes the menu with it. */
  async #watchEnd(): Promise<void> {
    const { client, sessionId } = this.#request;
    const { signal } = this.#watching;
    try {
      const { session } = await client.wait(
        { session_id: sessionId, states: [...TERMINAL_SESSION_STATES] },
        { signal },
      );
      this.#prompt.decide(ended(session));
    } catch (error) {
      // The menu was left, or it can't be told: then going back finds it out. One that was removed has nothing to go back to.
      if (isProtocolError(error, "session_not_found")) this.#prompt.decide(BACK);
    }
  }

  /** What can be done without the daemon, which could give no other picture: the present one stays. */
  async #chooseAlone(): Promise<MenuChoice> {
    this.#prompt.stayAside();
    for (;;) {
      this.#prompt.show("the daemon does not answer: d detach  z suspend  esc back");
      const key = await this.#prompt.nextKey();
      switch (key.type === "text" ? key.text.toLowerCase() : key.type) {
        case "d":
        case "detach":
          return detached("key");
        case "z":
          return { type: "suspend" };
        case "escape":
        case "enter":
        case "interrupt":
        case "q":
          return BACK;
      }
    }
  }

  async #choose(session: SessionInfo): Promise<MenuChoice> {
    const fork = session.capabilities.fork ? "  f fork" : "";
    const own = this.#request.keys.find(({ action }) => action === "menu");
    const short = own?.label.replace("Ctrl-", "^");
    const again = short === undefined ? "" : `  ${short} send ${short}`;
    const text = `d detach  k kill  n new  r rename${fork}  z suspend${again}  esc back`;
    for (;;) {
      this.#prompt.show(text);
      const key = await this.#prompt.nextKey();
      switch (key.type === "text" ? key.text.toLowerCase() : key.type) {
        case "d":
        case "detach":
          return detached("key");
        case "k":
          if (await this.#prompt.confirm("kill this session?")) return this.#attempt(() => this.#kill());
          break;
        case "n":
          return this.#attempt(() => this.#startNew(session));
        case "r":
          return this.#rename(session);
        case "f":
          if (session.capabilities.fork) return this.#attempt(() => this.#fork());
          break;
        case "z":
          return { type: "suspend" };
        case "menu":
          if (own !== undefined) return { type: "send", bytes: Uint8Array.of(own.byte) };
          break;
        case "escape":
        case "enter":
        case "interrupt":
        case "q":
          return BACK;
      }
    }
  }

  async #kill(): Promise<MenuChoice> {
    const { client, sessionId } = this.#request;
    // Its end is our own doing, and the stop may tell more than that.
    this.#watching.abort();
    await client.call("session.stop", sessionId);
    return ended(await client.call("session.inspect", sessionId));
  }

  async #startNew({ cwd }: SessionInfo): Promise<MenuChoice> {
    const { client, screen } = this.#request;
    const named = chooseName(undefined, cwd);
    const started = await client.call("session.new", { agent: "shell", ...named, cwd, ...screen.size });
    return { type: "session", sessionId: started.id, label: started.name ?? started.id };
  }

  async #fork(): Promise<MenuChoice> {
    const { client, screen, sessionId } = this.#request;
    const params = { session_id: sessionId, cwd_mode: "same", ...screen.size } as const;
    const started = await client.call("session.fork", params);
    return { type: "session", sessionId: started.id, label: started.name ?? started.id };
  }

  async #rename(session: SessionInfo): Promise<MenuChoice> {
    const { client, sessionId } = this.#request;
    const typed = await this.#prompt.readLine("new name: ", session.name ?? "");
    if (typed === undefined || typed === session.name) return BACK;
    return this.#attempt(async () => {
      const name = typed === "" ? "" : checkDisplayName(typed);
      const given = name === "" ? {} : ({ name, name_clash: "refuse" } as const);
      await client.call("session.rename", { session_id: sessionId, ...given });
      return { type: "session", sessionId, label: name === "" ? sessionId : name };
    });
  }

  /** Does it, or shows why it was refused until a key is pressed. One that takes long can be left to itself. */
  async #attempt(act: () => Promise<MenuChoice>): Promise<MenuChoice> {
    const outcome = act().then(
      (choice) => ({ choice }),
      (error: unknown) => ({ error }),
    );
    const left = await this.#untilDone(outcome);
    if (left !== undefined) return left;
    const result = await outcome;
    if ("choice" in result) return result.choice;
    if (!isProtocolError(result.error)) throw result.error;
    this.#prompt.show(`${plainText(result.error.message)} (${plainText(result.error.code)}); any key`);
    await this.#prompt.nextKey();
    return BACK;
  }

  /** Undefined once it is done. */
  async #untilDone(work: Promise<unknown>): Promise<MenuChoice | undefined> {
    const followed = this.#prompt.follow(work);
    await this.#prompt.waitFor(followed, QUIET_MS);
    while (!followed.isDone) {
      const text = (await this.#answersNow()) ? "not done yet" : "the daemon does not answer";
      if (followed.isDone) break;
      this.#prompt.show(`${text}: d detach  esc back`);
      const key = await this.#prompt.keyDuring(followed, QUIET_MS);
      if (key?.type === "detach" || (key?.type === "text" && key.text.toLowerCase() === "d")) return detached("key");
      if (key?.type === "escape" || key?.type === "interrupt" || key?.type === "enter") return BACK;
    }
    return undefined;
  }

  async #answersNow(): Promise<boolean> {
    try {
      await this.#request.client.call("daemon.health", null, { timeoutMs: PATIENCE_MS });
      return true;
    } catch (error) {
      if (!isProtocolError(error)) throw error;
      return false;
    }
  }
}
