import { describe, expect, test } from "bun:test";
import type { Host } from "../support/index.ts";
import { RawAttach, startHost, until } from "../support/index.ts";

/** Tells each SIGWINCH with its number and the size; "q" ends it with the count. */
const COUNTS_WINCHES = [
  process.execPath,
  "-e",
  `let count = 0;
   process.stdin.setRawMode(true);
   const tell = (name) => console.log(name + count + ":" + process.stdout.columns + "x" + process.stdout.rows + ";");
   process.on("SIGWINCH", () => { count += 1; process.stdout._refreshSize(); tell("W"); });
   process.stdin.on("data", (data) => { for (const key of data.toString()) if (key === "q") tell("Q"); });
   tell("S");`,
];

/** Puts the terminal into raw mode, says so, and shows every byte that it gets in hexadecimal, in angle brackets. */
const SHOWS_BYTES = [
  process.execPath,
  "-e",
  `process.stdin.setRawMode(true); console.log("READY");
   process.stdin.on("data", (data) => process.stdout.write("<" + data.toString("hex") + ">"));`,
];

class Viewer implements AsyncDisposable {
  readonly #host: Host;
  readonly #session: string;
  readonly id: string;
  readonly view: RawAttach;

  private constructor(host: Host, session: string, opened: { id: string; view: RawAttach }) {
    this.#host = host;
    this.#session = session;
    this.id = opened.id;
    this.view = opened.view;
  }

  static async attach(host: Host, session: string, params: Readonly<Record<string, unknown>> = {}): Promise<Viewer> {
    const { stream_id: id } = await host.call<{ stream_id: string }>("session.attach", {
      session_id: session,
      ...params,
    });
    const view = await RawAttach.open(host.address, id);
    await view.untilBytes(1);
    return new Viewer(host, session, { id, view });
  }

  async resize(cols: number, rows: number): Promise<void> {
    await this.#host.call("session.resize", { session_id: this.#session, stream_id: this.id, cols, rows });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.view[Symbol.asyncDispose]();
  }
}

const hex = (text: string): string => Buffer.from(text).toString("hex");

/** What SHOWS_BYTES has got so far. */
function inputOf({ view }: Viewer): string {
  return [...view.text.matchAll(/<([0-9a-f]+)>/g)].map(([, bytes]) => bytes).join("");
}

const sized = (cols: number, rows: number) => ({ initial_dimensions: { cols, rows } });

async function hasSize(host: Host, session: string, size: string): Promise<void> {
  await until(`the size ${size}`, async () => {
    const { cols, rows } = await host.inspect(session);
    return `${cols}x${rows}` === size;
  });
}

describe("the size of a session", () => {
  test("is that of the client that attached, typed or was resized last, and each change comes once", async () => {
    await using host = await startHost();
    const { id } = await host.newSession({ command: COUNTS_WINCHES });
    await until("the program to start", async () => {
      const { visible_lines: lines } = await host.call<{ visible_lines: string[] }>("session.screen", {
        session_id: id,
      });
      return lines.some((line) => line.includes("S0"));
    });
    // Of unknown size, so it gets the output as it is.
    await using observer = await Viewer.attach(host, id);
    const told = (): string[] => observer.view.text.match(/[WQ]\d+:\d+x\d+(?=;)/g) ?? [];
    const tells = async (size: string, count: number): Promise<void> => {
      await until(`${size} as change ${count}`, () => told().includes(`W${count}:${size}`));
    };
    await using tall = await Viewer.attach(host, id, sized(88, 71));
    await tells("88x71", 1);
    await using wide = await Viewer.attach(host, id, sized(189, 62));
    await tells("189x62", 2);
    // What a terminal says by itself is not typed.
    tall.view.write("\x1b[?62;22c\x1b[I");
    tall.view.write("b");
    await tells("88x71", 3);
    await wide.resize(190, 60);
    await tells("190x60", 4);
    await wide.resize(190, 60);
    await using third = await Viewer.attach(host, id, sized(100, 30));
    await tells("100x30", 5);
    // Leaving without the size changes nothing; the owner's leaving gives it to the one before it, once.
    await using fourth = await Viewer.attach(host, id);
    await fourth[Symbol.asyncDispose]();
    await third[Symbol.asyncDispose]();
    await tells("190x60", 6);
    wide.view.write("q");
    await until("the count", () => told().at(-1)?.startsWith("Q"));
    expect(told().at(-1)).toBe("Q6:190x60");
    expect(told().filter((size) => size.startsWith("W"))).toHaveLength(6);
  }, 30_000);

  test("does not follow a client that only looks", async () => {
    await using host = await startHost();
    const { id } = await host.newSession();
    await using owner = await Viewer.attach(host, id, sized(100, 30));
    await using reader = await Viewer.attach(host, id, { ...sized(60, 20), mode: "read_only" });
    await reader.resize(61, 21);
    await owner[Symbol.asyncDispose]();
    await until("the owner to be gone", async () => {
      const answer = await host.call<{ detached: boolean }>("session.detach", { stream_id: owner.id });
      return !answer.detached;
    });
    await hasSize(host, id, "100x30");
  });

  test.each([
    { cols: 2, rows: 1, started: "80x24" },
    { cols: 1, rows: 1, started: "80x24" },
    { cols: 9, rows: 200, started: "80x24" },
    { cols: 65_535, rows: 65_535, started: "500x200" },
    { cols: 80, rows: 65_535, started: "80x200" },
  ])("stays what it was for a client that reports $cols x $rows", async ({ cols, rows, started }) => {
    await using host = await startHost();
    const { id } = await host.newSession({ cols: 90, rows: 30 });
    await using odd = await Viewer.attach(host, id, sized(cols, rows));
    odd.view.write("stty size\r");
    await odd.view.until("30 90");
    const other = await host.newSession({ cols, rows });
    await hasSize(host, other.id, started);
    await odd.resize(120, 40);
    await odd.resize(cols, rows);
    expect(await host.inspect(id)).toMatchObject({ cols: 120, rows: 40 });
    await using good = await Viewer.attach(host, id, sized(100, 25));
    await good[Symbol.asyncDispose]();
    odd.view.write("x");
    await hasSize(host, id, "100x25");
  });

  test("is never larger than the limit, and one nobody names is taken as it is", async () => {
    await using host = await startHost();
    const { id } = await host.newSession();
    await using wall = await Viewer.attach(host, id, sized(900, 300));
    await hasSize(host, id, "500x200");
    await host.call("session.resize", { session_id: id, cols: 70, rows: 20 });
    wall.view.write("x");
    await host.call("session.screen", { session_id: id });
    expect(await host.inspect(id)).toMatchObject({ cols: 70, rows: 20 });
  });
});

describe("input of several clients", () => {
  test("is not mixed inside a paste, and a client that dies in one holds nobody up", async () => {
    await using host = await startHost();
    const { id } = await host.newSession({ command: SHOWS_BYTES });
    await using a = await Viewer.attach(host, id);
    await using b = await Viewer.attach(host, id);
    await b.view.until("READY");
    const got = (): string => inputOf(b);
    a.view.write("\x1b[200~one ");
    await until("the start of the paste", () => got().endsWith(hex("one ")));
    b.view.write("typed");
    const sent = host.call("session.input", { session_id: id, text: "sent" });
    a.view.write("two\x1b[201~");
    await until("all", () => got().includes(hex("typed")) && got().includes(hex("sent\r")));
    await sent;
    expect(got()).toStartWith(hex("\x1b[200~one two\x1b[201~"));
    const mark = got().length;
    a.view.write("\x1b[200~half");
    await until("the half paste", () => got().endsWith(hex("half")));
    await a[Symbol.asyncDispose]();
    b.view.write("on");
    await until("the rest", () => got().endsWith(hex("on")));
    expect(got().slice(mark)).toBe(hex("\x1b[200~half\x1b[201~on"));
  });

  test("goes on past one that stalls in its paste, which is whole again for the program", async () => {
    await using host = await startHost();
    const { id } = await host.newSession({ command: SHOWS_BYTES });
    await using a = await Viewer.attach(host, id);
    await using b = await Viewer.attach(host, id);
    await b.view.until("READY");
    const got = (): string => inputOf(b);
    a.view.write("\x1b[200~one ");
    await until("the start of the paste", () => got().endsWith(hex("one ")));
    b.view.write("typed");
    await until("what the other typed", () => got().endsWith(hex("typed")), 5_000);
    a.view.write("two\x1b[201~");
    await until("the rest", () => got().endsWith(hex("two\x1b[201~")));
    expect(got()).toBe(hex("\x1b[200~one \x1b[201~typed\x1b[200~two\x1b[201~"));
  });
});

describe("a read-only client", () => {
  test("gets all output and can't type, whoever it says it is", async () => {
    await using host = await startHost();
    const { id } = await host.newSession();
    await using reader = await Viewer.attach(host, id, { ...sized(80, 24), mode: "read_only" });
    await using writer = await Viewer.attach(host, id, sized(80, 24));
    reader.view.write("echo from-the-reader\r".repeat(2_000));
    writer.view.write("echo from-$((20+2))\r");
    await reader.view.until("from-22");
    writer.view.write("echo again-$((20+3))\r");
    await reader.view.until("again-23");
    expect(reader.view.text).not.toContain("from-the-reader");
    expect(await host.refusal("session.attach", { session_id: id, mode: "owner" })).toBe("bad_request");
  });

  test("stays one when the daemon is killed", async () => {
    await using host = await startHost();
    const { id } = await host.newSession();
    await using reader = await Viewer.attach(host, id, { mode: "read_only" });
    await host.kill();
    await host.start();
    reader.view.write("echo from-the-reader\r");
    await using writer = await Viewer.attach(host, id);
    writer.view.write("echo from-$((20+2))\r");
    await reader.view.until("from-22");
    expect(reader.view.text).not.toContain("from-the-reader");
  });
});

describe("a client of mode view", () => {
  test("sees a part of the session at its own size, chooses it, and goes on over a restart of the daemon", async () => {
    await using host = await startHost();
    const command = [
      "/bin/sh",
      "-c",
      "stty -echo; printf '%0120d' 7; printf 'end'; while read -r x; do eval \"$x\"; done",
    ];
    const { id } = await host.newSession({ command, cols: 130, rows: 20 });
    await using viewer = await Viewer.attach(host, id, { ...sized(20, 5), mode: "view" });
    await viewer.view.until("07end");
    expect(viewer.view.text).toMatch(/0{15}7end/);
    const ask = { session_id: id, stream_id: viewer.id, cols: 20, rows: 5 };
    const adjust = async (view: object): Promise<unknown> =>
      (await host.call<{ view: object }>("session.resize", { ...ask, view })).view;
    expect(await adjust({ move_cols: -1_000 })).toEqual({ layout: "screen", follow: false });
    await viewer.view.until("0".repeat(20));
    await viewer.resize(30, 6);
    await viewer.view.until("0".repeat(30));
    await host.kill();
    await host.start();
    expect(await adjust({ layout: "text" })).toEqual({ layout: "text", follow: true });
    const { id: elsewhere } = await host.newSession();
    const foreign = { ...ask, session_id: elsewhere, view: { layout: "screen" } };
    expect(await host.refusal("session.resize", foreign)).toBe("attach_not_found");
    expect(await host.inspect(id)).toMatchObject({ cols: 130, rows: 20 });
    await using writer = await Viewer.attach(host, id);
    viewer.view.write("printf from-the-viewer\r");
    writer.view.write("printf from-the-writer\r");
    await viewer.view.until("from-the-writer");
    expect(viewer.view.text).not.toContain("from-the-viewer");
    expect(await host.call<unknown>("session.detach", { stream_id: viewer.id })).toEqual({ detached: true });
    await viewer.view.closed;
    const view = { follow: true };
    expect(await host.refusal("session.resize", { ...ask, view })).toBe("attach_not_found");
    const wrong = { ...ask, stream_id: writer.id, view };
    expect(await host.refusal("session.resize", wrong)).toBe("worker_invalid_request");
  });
});
