import type { AttachMode, SessionId } from "@pohunek/protocol/wire";
import { isProtocolError } from "@pohunek/protocol/wire";
import type { AttachStream, Client } from "@pohunek/sdk";
import type { Signals } from "../context.ts";
import { Mailbox } from "../mailbox.ts";
import type { LocalTerminal, TerminalSize } from "../terminal/local-terminal.ts";
import type { AttachEvent } from "./attach-event.ts";
import { AttachInput } from "./attach-input.ts";
import type { AttachKey } from "./attach-keys.ts";
import { AttachLink } from "./attach-link.ts";
import type { AttachOutcome } from "./attach-outcome.ts";
import { END_SIGNALS, farewell } from "./attach-outcome.ts";
import type { AttachOrigin } from "./attach-params.ts";
import { attachParams } from "./attach-params.ts";
import { ControlClient } from "./control-client.ts";
import { InputDelivery } from "./input-delivery.ts";
import { endOf, fateOf } from "./link-fate.ts";
import { LocalScreen } from "./local-screen.ts";
import type { UserWait } from "./reconnect.ts";
import { isTemporary, reconnect, waitForUser } from "./reconnect.ts";
import { repaintLater } from "./repaint-later.ts";
import { SizeFollower } from "./size-follower.ts";
import type { ViewChange } from "./view-keys.ts";

/** The session that is to be shown. */
export interface AttachTarget {
  readonly sessionId: SessionId;
  /** How the session is called in messages. */
  readonly label: string;
  /** An open connection; it is closed when the attach ends. Absent: it is made when something has to be asked. */
  readonly client?: Client | undefined;
  /** The session's stream, where it is open already. */
  readonly stream?: AttachStream | undefined;
  /** How long a request took that found the session; the client tells it otherwise. */
  readonly roundTripMs?: number;
}

export interface AttachRequest {
  /** What costs time is done while it is on its way. */
  readonly target: Promise<AttachTarget>;
  /** Another connection to the same host, which starts no daemon. */
  readonly reconnect: () => Promise<Client>;
  readonly origin: AttachOrigin;
  readonly mode: AttachMode;
  /** The client's own keys. Asked for when the first picture is there, which does not wait for them. */
  readonly keys: () => Promise<readonly AttachKey[]>;
  readonly terminal: LocalTerminal;
  readonly signals: Signals;
}

/** The keys that were meant for the menu are typed by then. */
const NO_MENU_MS = 1_500;
/** Long enough to read a line. */
const NOTICE_MS = 2_000;
const OVERSIZED_COPY = " the session copied more to the clipboard than it may; nothing was copied ";

/** Shows a session on the local terminal until the user leaves it or it ends. */
export async function attachSession(request: AttachRequest): Promise<AttachOutcome> {
  await using client = new AttachClient(request);
  return await client.run();
}

class AttachClient implements AsyncDisposable {
  readonly #request: AttachRequest;
  readonly #events = new Mailbox<AttachEvent>();
  readonly #screen: LocalScreen;
  readonly #input: AttachInput;
  readonly #size: SizeFollower;
  readonly #delivery: InputDelivery;
  readonly #signals: Disposable[] = [];
  #keys: readonly AttachKey[] = [];
  #target: AttachTarget | undefined;
  #sessionId = "" as SessionId;
  #label = "";
  readonly #control: ControlClient;
  #link: AttachLink | undefined;

  constructor(request: AttachRequest) {
    this.#request = request;
    this.#control = new ControlClient(request.reconnect);
    this.#screen = new LocalScreen(request.terminal, {
      onFull: () => this.#link?.pauseOutput("terminal"),
      onRoom: () => this.#link?.resumeOutput("terminal"),
      onGone: () => this.#events.put({ type: "gone" }),
    });
    this.#size = new SizeFollower({ screen: this.#screen, send: (size) => this.#resize(size) });
    this.#delivery = new InputDelivery(request.mode, {
      rows: () => this.#screen.size.rows,
      send: (view) => this.#resize(this.#screen.size, view),
      onLeave: () => this.#events.put({ type: "key", action: "detach" }),
    });
    const { signals, terminal } = request;
    this.#input = new AttachInput(
      { signals, calls: terminal.calls },
      {
        onAction: (action) => this.#events.put({ type: "key", action }),
        onEnd: () => this.#events.put({ type: "gone" }),
      },
    );
  }

  async run(): Promise<AttachOutcome> {
    this.#signals.push(...followSignals(this.#request.signals, this.#events, () => void this.#size.follow()));
    // Refusals come before the terminal is touched: they are errors like those of any other command.
    await this.#open(await this.#meet());
    await this.#loadKeys();
    this.#input.start(this.#keys);
    const outcome = await this.#untilOutcome();
    this.#input.stop();
    const lastRow = await this.#lastRow(outcome);
    void this.#link?.close();
    await this.#screen.leave(farewell(outcome, this.#label), lastRow);
    return outcome;
  }

  async #meet(): Promise<AttachStream | undefined> {
    this.#target = await this.#request.target;
    [this.#sessionId, this.#label] = [this.#target.sessionId, this.#target.label];
    if (this.#target.client !== undefined) this.#control.adopt(this.#target.client);
    return this.#target.stream;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#size[Symbol.dispose]();
    for (const signal of this.#signals) signal[Symbol.dispose]();
    await this.#link?.close();
    this.#link = undefined;
    this.#screen[Symbol.dispose]();
    await this.#control[Symbol.asyncDispose]();
  }

  async #loadKeys(): Promise<void> {
    this.#keys = await this.#request.keys().catch(async (error: unknown) => {
      await this.#screen.leave("");
      throw error;
    });
  }

  async #untilOutcome(): Promise<AttachOutcome> {
    let outcome: AttachOutcome | undefined;
    while (outcome === undefined) outcome = await this.#react(await this.#events.next());
    return outcome;
  }

  async #react(event: AttachEvent): Promise<AttachOutcome | undefined> {
    switch (event.type) {
      case "key":
        return event.action === "detach" ? { type: "detached", by: "key" } : this.#showMenu();
      case "signal":
        return { type: "detached", by: event.name };
      case "gone":
        return { type: "detached", by: "terminal" };
      case "suspend":
        return this.#suspend();
      case "notice":
        return this.#tell(event.text);
      case "ended":
        // A stream that has been replaced meanwhile is nobody's concern.
        return event.link === this.#link ? this.#followEnd(event.link) : undefined;
      case "repaint":
        if (event.link !== this.#link) return undefined;
        this.#dropLink();
        return this.#reconnect("present");
      case "typed":
        return undefined;
    }
  }

  /** Attaches, or attaches again: then with nothing left in the terminal of what the session had set before. */
  async #open(opened: AttachStream | undefined, signal?: AbortSignal): Promise<void> {
    const stream = opened ?? (await this.#openStream(signal));
    if (signal?.aborted === true) {
      void stream.close();
      throw signal.reason;
    }
    const link = new AttachLink(this.#sessionId, stream, {
      onOutput: (bytes) => this.#screen.show(bytes),
      onEnd: () => this.#events.put({ type: "ended", link }),
      onInputFull: () => this.#input.pause(),
      onOversizedCopy: () => this.#events.put({ type: "notice", text: OVERSIZED_COPY }),
      onInputRoom: () => this.#input.resume(),
    });
    this.#link = link;
    this.#screen.begin();
    void link.pump();
    this.#input.connect(this.#delivery.begin(link));
  }

  async #openStream(signal: AbortSignal | undefined): Promise<AttachStream> {
    const client = await this.#control.open();
    const { origin, mode } = this.#request;
    const repaint = this.#screen.wantedRepaint(client.roundTripMs ?? this.#target?.roundTripMs);
    const params = attachParams(this.#sessionId, { origin, mode, repaint, size: this.#screen.knownSize });
    return await client.attach(params, { signal });
  }

  #dropLink(): void {
    void this.#link?.close();
    this.#link = undefined;
    this.#input.disconnect();
  }

  async #followEnd(link: AttachLink): Promise<AttachOutcome | undefined> {
    this.#dropLink();
    const end = await endOf(link, this.#control);
    if (end.type === "detached") return { type: "detached", by: "elsewhere" };
    return end.type === "disconnected" ? this.#reconnect("renew") : end;
  }

  /** `first`: whether the first attempt goes over the present connection. */
  #reconnect(first: "renew" | "present"): Promise<AttachOutcome | undefined> {
    let isPresent = first === "present";
    const tryOnce = async (signal: AbortSignal): Promise<AttachOutcome | undefined> => {
      if (!isPresent) await this.#control.renew();
      isPresent = false;
      return this.#reopen(signal);
    };
    const leaveKey = this.#keys.find(({ action }) => action === "detach")?.label ?? "";
    const isOpen = (): boolean => this.#link !== undefined;
    return reconnect({ ...this.#userWait, screen: this.#screen, leaveKey, isOpen, tryOnce });
  }

  /** Attaches on the present control connection; tells what became of the session when that is refused for good. */
  async #reopen(signal: AbortSignal): Promise<AttachOutcome | undefined> {
    try {
      await this.#open(undefined, signal);
      return undefined;
    } catch (error) {
      if (!isProtocolError(error) || isTemporary(error)) throw error;
      return await fateOf(this.#sessionId, { control: this.#control, error });
    }
  }

  async #showMenu(): Promise<AttachOutcome | undefined> {
    const client = await this.#control.open().catch(() => undefined);
    if (client === undefined) {
      // Without a daemon a menu could do nothing, and the stream that would be given up for it could not be had back.
      this.#screen.ring();
      this.#input.ignoreFor(NO_MENU_MS);
      return undefined;
    }
    this.#link?.pauseOutput("menu");
    const { AttachMenu } = await import("./attach-menu.ts");
    const menu = new AttachMenu({
      screen: this.#screen,
      input: this.#input,
      events: this.#events,
      client,
      sessionId: this.#sessionId,
      label: this.#label,
      keys: this.#keys,
      onDaemon: () => this.#dropLink(),
    });
    const choice = await menu.run();
    if (choice.type === "outcome") return choice.outcome;
    if (choice.type === "suspend") return this.#suspend();
    if (choice.type === "session") [this.#sessionId, this.#label] = [choice.sessionId, choice.label];
    if (choice.type === "back" && this.#link !== undefined) return this.#goOn(this.#link);
    const outcome = await this.#reconnect("present");
    if (choice.type === "send") this.#link?.send(choice.bytes);
    return outcome;
  }

  /** The stream was kept, since no daemon could have given another: its picture is made whole when one answers. */
  #goOn(link: AttachLink): undefined {
    const isDamaged = this.#screen.endAside();
    this.#input.release();
    link.resumeOutput("menu");
    if (isDamaged) void repaintLater(link, { control: this.#control, events: this.#events, current: () => this.#link });
  }

  /** Shows a line in the place of the session's last row for a while. What is typed meanwhile reaches the session. */
  async #tell(text: string): Promise<AttachOutcome | undefined> {
    this.#dropLink();
    this.#screen.showNotice(text);
    return (await waitForUser(this.#userWait, NOTICE_MS)) ?? this.#reconnect("present");
  }

  /** Gives the terminal back to the shell, stops, and goes on when the shell says so. */
  async #suspend(): Promise<AttachOutcome | undefined> {
    this.#dropLink();
    await this.#stop();
    return this.#reconnect("present");
  }

  async #stop(): Promise<void> {
    await this.#screen.leave(`[${this.#label} goes on in the background; fg comes back to it]\n`);
    this.#request.signals.stopSelf();
    this.#screen.refreshSize();
  }

  get #userWait(): UserWait {
    return { events: this.#events, input: this.#input, stop: () => this.#stop() };
  }

  async #resize({ cols, rows }: TerminalSize, view?: ViewChange): Promise<void> {
    // The next attach brings the size with it.
    const streamId = this.#link?.streamId;
    if (streamId === undefined) return;
    const client = await this.#control.open();
    await client.call("session.resize", { session_id: this.#sessionId, stream_id: streamId, cols, rows, view });
  }

  /** Row (from 1) of the last text on the session's screen, when the session is left while its main screen is shown. */
  async #lastRow(outcome: AttachOutcome): Promise<number | undefined> {
    if (outcome.type !== "detached" || outcome.by === "terminal" || this.#screen.isAlternate) return undefined;
    const { lastTextRow } = await import("./last-text-row.ts");
    return lastTextRow(() => this.#control.open(), this.#sessionId);
  }
}

function followSignals(signals: Signals, events: Mailbox<AttachEvent>, onResize: () => void): Disposable[] {
  return [
    ...END_SIGNALS.map((name) => signals.on(name, () => events.put({ type: "signal", name }))),
    signals.on("SIGTSTP", () => events.put({ type: "suspend" })),
    signals.on("SIGWINCH", onResize),
  ];
}
