import type { SessionInfo } from "@pohunek/protocol";
import type { SessionId } from "@pohunek/protocol/wire";
import { isProtocolError, LIMITS } from "@pohunek/protocol/wire";
import type { Client } from "@pohunek/sdk";
import type { Mailbox } from "../mailbox.ts";
import { plainText } from "../output/plain-text.ts";
import { cutEnd, textWidth } from "../output/text-width.ts";
import { checkDisplayName, chooseName } from "../sessions/display-name.ts";
import type { AttachEvent } from "./attach-event.ts";
import type { AttachInput } from "./attach-input.ts";
import type { AttachKey } from "./attach-keys.ts";
import type { AttachOutcome } from "./attach-outcome.ts";
import type { LocalScreen } from "./local-screen.ts";
import type { MenuKey } from "./menu-keys.ts";
import { readMenuKey } from "./menu-keys.ts";

export type MenuChoice =
  | { readonly type: "back" }
  | { readonly type: "suspend" }
  /** Bytes of the menu's own key, for the session. */
  | { readonly type: "send"; readonly bytes: Uint8Array }
  /** Go on with this session: another one, or the same by another name. */
  | { readonly type: "session"; readonly sessionId: SessionId; readonly label: string }
  | { readonly type: "outcome"; readonly outcome: AttachOutcome };

interface MenuRequest {
  readonly screen: LocalScreen;
  readonly input: AttachInput;
  readonly events: Mailbox<AttachEvent>;
  readonly client: Client;
  readonly sessionId: SessionId;
  readonly label: string;
  /** The client's own; the menu's key pressed again goes to the session. */
  readonly keys: readonly AttachKey[];
}

/** Less of a name says nothing. */
const MIN_NAME_COLUMNS = 6;
/** A daemon answers in a millisecond; whoever opened the menu must not wait for one that hangs. */
const PATIENCE_MS = 300;
const BACK: MenuChoice = { type: "back" };

/** The menu behind Ctrl-\: one line over the last row, one key for each action. */
export class AttachMenu {
  readonly #request: MenuRequest;

  constructor(request: MenuRequest) {
    this.#request = request;
  }

  async run(): Promise<MenuChoice> {
    const { input, events } = this.#request;
    input.holdForMenu(() => events.put({ type: "typed" }));
    try {
      const session = await this.#inspect();
      return session === undefined ? await this.#chooseAlone() : await this.#choose(session);
    } catch (error) {
      if (error instanceof MenuLeft) return error.choice;
      if (!isProtocolError(error)) throw error;
      // Whatever is wrong with the session or its daemon, attaching again finds it out and tells it.
      return BACK;
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

  /** What can be done without the daemon. */
  async #chooseAlone(): Promise<MenuChoice> {
    for (;;) {
      this.#show("the daemon does not answer: d detach  z suspend  esc back");
      const key = await this.#nextKey();
      switch (key.type === "text" ? key.text.toLowerCase() : key.type) {
        case "d":
        case "detach":
          return { type: "outcome", outcome: { type: "detached", by: "key" } };
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
      this.#show(text);
      const key = await this.#nextKey();
      switch (key.type === "text" ? key.text.toLowerCase() : key.type) {
        case "d":
        case "detach":
          return { type: "outcome", outcome: { type: "detached", by: "key" } };
        case "k":
          if (await this.#confirm("kill this session?")) return this.#kill();
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
    return this.#attempt(async () => {
      await client.call("session.stop", sessionId);
      return { type: "outcome", outcome: { type: "ended", session: await client.call("session.inspect", sessionId) } };
    });
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
    const typed = await this.#readLine("new name: ", session.name ?? "");
    if (typed === undefined || typed === session.name) return BACK;
    return this.#attempt(async () => {
      const name = typed === "" ? "" : checkDisplayName(typed);
      const given = name === "" ? {} : ({ name, name_clash: "refuse" } as const);
      await client.call("session.rename", { session_id: sessionId, ...given });
      return { type: "session", sessionId, label: name === "" ? sessionId : name };
    });
  }

  /** Does it, or shows why it was refused until a key is pressed. */
  async #attempt(act: () => Promise<MenuChoice>): Promise<MenuChoice> {
    try {
      return await act();
    } catch (error) {
      if (!isProtocolError(error)) throw error;
      this.#show(`${plainText(error.message)} (${plainText(error.code)}); any key`);
      await this.#nextKey();
      return BACK;
    }
  }

  async #confirm(question: string): Promise<boolean> {
    this.#show(`${question} y / n`);
    const key = await this.#nextKey();
    return key.type === "text" && key.text.toLowerCase() === "y";
  }

  /** Undefined when it was given up. */
  async #readLine(prompt: string, start: string): Promise<string | undefined> {
    let line = start;
    for (;;) {
      this.#show(`${prompt}${plainText(line)}_`);
      const key = await this.#nextKey();
      if (key.type === "enter") return line.trim();
      if (key.type === "backspace") line = [...line].slice(0, -1).join("");
      else if (key.type !== "text") return undefined;
      else if (Buffer.byteLength(line + key.text) <= LIMITS.sessionNameBytes) line += key.text;
    }
  }

  #show(text: string): void {
    const { screen, label } = this.#request;
    const { cols } = screen.size;
    // What can be done is more than the name.
    const room = cols - textWidth(text) - 4;
    const name = room < MIN_NAME_COLUMNS ? "" : `${cutEnd(plainText(label), room)}  `;
    screen.showNotice(cutEnd(` ${name}${text} `, cols));
  }

  async #nextKey(): Promise<MenuKey> {
    const { input, events } = this.#request;
    for (;;) {
      const bytes = input.takeHeld();
      if (bytes.length > 0) {
        const { key, length } = readMenuKey(bytes, this.#request.keys);
        input.putBack(bytes.subarray(length));
        if (key !== undefined) return key;
        continue;
      }
      const event = await events.next();
      if (event.type === "suspend") throw new MenuLeft({ type: "suspend" });
      if (event.type === "signal")
        throw new MenuLeft({ type: "outcome", outcome: { type: "detached", by: event.name } });
      if (event.type === "gone") throw new MenuLeft({ type: "outcome", outcome: { type: "detached", by: "terminal" } });
    }
  }
}

/** Something outside took the decision. */
class MenuLeft extends Error {
  readonly choice: MenuChoice;

  constructor(choice: MenuChoice) {
    super("the menu was left");
    this.choice = choice;
  }
}
