import { LIMITS } from "@pohunek/protocol/wire";
import type { Mailbox } from "../mailbox.ts";
import { plainText } from "../output/plain-text.ts";
import { cutEnd, textWidth } from "../output/text-width.ts";
import type { AttachEvent } from "./attach-event.ts";
import type { AttachInput } from "./attach-input.ts";
import type { AttachKey } from "./attach-keys.ts";
import type { LocalScreen } from "./local-screen.ts";
import type { MenuChoice } from "./menu-choice.ts";
import { detached } from "./menu-choice.ts";
import type { MenuKey } from "./menu-keys.ts";
import { readMenuKey } from "./menu-keys.ts";

export interface MenuPromptOptions {
  readonly screen: LocalScreen;
  readonly input: AttachInput;
  readonly events: Mailbox<AttachEvent>;
  readonly label: string;
  readonly keys: readonly AttachKey[];
}

/** Less of a name says nothing. */
const MIN_NAME_COLUMNS = 6;

/** The one line of the menu, and the keys that are typed at it. Whatever waits here ends when something outside decides. */
export class MenuPrompt {
  readonly #options: MenuPromptOptions;
  #decision: MenuChoice | undefined;
  #isAside = false;

  constructor(options: MenuPromptOptions) {
    this.#options = options;
  }

  /** From now on what is typed is ours. */
  begin(): void {
    this.#options.input.holdForMenu(() => this.#wake());
  }

  /** The session's picture stays beside the line, since nobody can give another. */
  stayAside(): void {
    this.#isAside = true;
  }

  /** Something outside has decided: whoever waits for a key gets MenuLeft. */
  decide(choice: MenuChoice): void {
    this.#decision ??= choice;
    this.#wake();
  }

  show(text: string): void {
    const { screen, label } = this.#options;
    const { cols } = screen.size;
    // What can be done is more than the name.
    const room = cols - textWidth(text) - 4;
    const name = room < MIN_NAME_COLUMNS ? "" : `${cutEnd(plainText(label), room)}  `;
    const line = cutEnd(` ${name}${text} `, cols);
    if (this.#isAside) screen.showAside(line);
    else screen.showNotice(line);
  }

  async confirm(question: string): Promise<boolean> {
    this.show(`${question} y / n`);
    const key = await this.nextKey();
    return key.type === "text" && key.text.toLowerCase() === "y";
  }

  /** Undefined when it was given up. */
  async readLine(prompt: string, start: string): Promise<string | undefined> {
    let line = start;
    for (;;) {
      this.show(`${prompt}${plainText(line)}_`);
      const key = await this.nextKey();
      if (key.type === "enter") return line.trim();
      if (key.type === "backspace") line = [...line].slice(0, -1).join("");
      else if (key.type !== "text") return undefined;
      else if (Buffer.byteLength(line + key.text) <= LIMITS.sessionNameBytes) line += key.text;
    }
  }

  async nextKey(): Promise<MenuKey> {
    for (;;) {
      const key = this.#takeKey();
      if (key !== undefined) return key;
      await this.#nextEvent(undefined);
    }
  }

  /** The next key, or undefined when `work` has ended or the time has passed. */
  async keyDuring(work: FollowedWork, timeoutMs: number): Promise<MenuKey | undefined> {
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      const key = work.isDone ? undefined : this.#takeKey();
      const leftMs = deadline - performance.now();
      if (key !== undefined || work.isDone || leftMs <= 0) return key;
      await this.#nextEvent(leftMs);
    }
  }

  /** Waits for the end of `work` for a while. What is typed meanwhile is for whatever comes of it. */
  async waitFor(work: FollowedWork, timeoutMs: number): Promise<void> {
    const deadline = performance.now() + timeoutMs;
    for (let leftMs = timeoutMs; leftMs > 0 && !work.isDone; leftMs = deadline - performance.now()) {
      await this.#nextEvent(leftMs);
    }
  }

  /** Work whose end is heard while keys are waited for. It must not fail. */
  follow(work: Promise<unknown>): FollowedWork {
    const followed = { isDone: false };
    void work.then(() => {
      followed.isDone = true;
      this.#wake();
    });
    return followed;
  }

  #takeKey(): MenuKey | undefined {
    const { input, keys } = this.#options;
    for (let bytes = input.takeHeld(); bytes.length > 0; bytes = input.takeHeld()) {
      const { key, length } = readMenuKey(bytes, keys);
      input.putBack(bytes.subarray(length));
      if (key !== undefined) return key;
    }
    return undefined;
  }

  async #nextEvent(timeoutMs: number | undefined): Promise<void> {
    const { events } = this.#options;
    if (this.#decision !== undefined) throw new MenuLeft(this.#decision);
    const event = await (timeoutMs === undefined ? events.next() : events.next(timeoutMs));
    if (this.#decision !== undefined) throw new MenuLeft(this.#decision);
    if (event?.type === "suspend") throw new MenuLeft({ type: "suspend" });
    if (event?.type === "signal") throw new MenuLeft(detached(event.name));
    if (event?.type === "gone") throw new MenuLeft(detached("terminal"));
  }

  #wake(): void {
    this.#options.events.put({ type: "typed" });
  }
}

export interface FollowedWork {
  readonly isDone: boolean;
}

/** Something outside took the decision. */
export class MenuLeft extends Error {
  readonly choice: MenuChoice;

  constructor(choice: MenuChoice) {
    super("the menu was left");
    this.choice = choice;
  }
}
