import { describe, expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { until } from "../support/index.ts";
import { Viewer } from "./support/viewer.ts";
import { launchSpec, WorkerUnderTest } from "./support/worker-under-test.ts";

interface Answer {
  readonly id: number;
  readonly ok?: unknown;
  readonly error?: { readonly code: string; readonly message: string };
}

/** A connection that sends whatever bytes it likes. */
class RawConnection implements Disposable {
  readonly #socket: Socket;
  #text = "";
  isClosed = false;

  constructor(path: string) {
    this.#socket = connect(path);
    this.#socket.on("data", (chunk: Buffer) => {
      this.#text += chunk.toString("latin1");
    });
    this.#socket.on("close", () => {
      this.isClosed = true;
    });
    // A reset by a worker that refuses us is an answer too.
    this.#socket.on("error", () => undefined);
  }

  send(bytes: string | Uint8Array): void {
    this.#socket.write(bytes);
  }

  get answers(): Answer[] {
    return this.#text
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Answer);
  }

  get text(): string {
    return this.#text;
  }

  async answer(id: number): Promise<Answer> {
    return await until(`answer ${id}`, () => this.answers.find((answer) => answer.id === id));
  }

  async hasClosed(): Promise<void> {
    await until("the connection to be closed", () => this.isClosed);
  }

  [Symbol.dispose](): void {
    this.#socket.destroy();
  }
}

const NEGOTIATE = '{"id":1,"op":"negotiate","params":{"min":1,"max":2}}\n';

describe("control lines", () => {
  test.each([
    ["no JSON", "nonsense\n"],
    ["an empty line", "\n"],
    ["an array", "[]\n"],
    ["no UTF-8", Uint8Array.of(0xff, 0xfe, 0x0a)],
    ["an unknown operation", '{"id":0,"op":"reboot","params":{}}\n'],
    ["an unknown member", '{"id":0,"op":"inspect","params":{},"extra":1}\n'],
    ["no params", '{"id":0,"op":"inspect"}\n'],
    ["a version that is no number", '{"id":0,"op":"negotiate","params":{"min":"1","max":2}}\n'],
  ])("that are %s are refused, and the connection goes on", async (_name, line) => {
    await using worker = await WorkerUnderTest.start();
    using raw = new RawConnection(worker.socketPath);
    raw.send(line);
    expect((await raw.answer(0)).error?.code).toBe("worker_invalid_request");
    raw.send(NEGOTIATE);
    expect((await raw.answer(1)).ok).toMatchObject({ version: 2 });
  });

  test("may come in pieces, or many at once", async () => {
    await using worker = await WorkerUnderTest.start();
    using raw = new RawConnection(worker.socketPath);
    for (const piece of NEGOTIATE.match(/.{1,7}|\n/g) ?? []) {
      raw.send(piece);
      // Apart, so that they arrive apart.
      await Bun.sleep(1);
    }
    await raw.answer(1);
    const inspect = (id: number): string => `{"id":${id},"op":"inspect","params":{}}\n`;
    raw.send(Array.from({ length: 100 }, (_, index) => inspect(index + 2)).join(""));
    await raw.answer(101);
    expect(raw.answers).toHaveLength(101);
  });

  test("of more than 1 MiB end the connection, and only that", async () => {
    await using worker = await WorkerUnderTest.start();
    using raw = new RawConnection(worker.socketPath);
    raw.send(NEGOTIATE);
    await raw.answer(1);
    raw.send("x".repeat(1_200_000));
    await raw.hasClosed();
    using first = new RawConnection(worker.socketPath);
    first.send("y".repeat(1_200_000));
    await first.hasClosed();
    await using client = await worker.connect();
    expect((await client.inspect()).phase).toBe("waiting");
  });

  test("before negotiation, or without the lease, are refused", async () => {
    await using worker = await WorkerUnderTest.start();
    using raw = new RawConnection(worker.socketPath);
    raw.send('{"id":5,"op":"inspect","params":{}}\n');
    expect((await raw.answer(5)).error?.code).toBe("worker_invalid_state");
    await using client = await worker.connect();
    const refused = await client.initialize(launchSpec("true")).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: "worker_invalid_state" });
  });
});

describe("versions", () => {
  test.each([
    [{ min: 1, max: 1 }, 1],
    [{ min: 2, max: 2 }, 2],
    [{ min: 1, max: 9 }, 4],
    [{ min: 2, max: 7 }, 4],
  ])("%o gives %d", async (versions, version) => {
    await using worker = await WorkerUnderTest.start();
    await using client = await worker.connect({ versions });
    expect(client.version).toBe(version);
  });

  test("without a common one the worker says what it has, and stays", async () => {
    await using worker = await WorkerUnderTest.start();
    const refused = await worker.connect({ versions: { min: 5, max: 6 } }).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: "worker_protocol_incompatible", details: { min: 1, max: 4 } });
    await using client = await worker.connect();
    expect(client.version).toBe(4);
  });
});

describe("the lease", () => {
  test("has one holder, and is free again when its connection ends", async () => {
    await using worker = await WorkerUnderTest.start();
    const first = await worker.control();
    const refused = await worker.control().catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: "worker_controller_busy" });
    await using looker = await worker.connect();
    expect((await looker.inspect()).controller).toBe("d-test");
    await first.client[Symbol.asyncDispose]();
    await until("the lease to be free", async () => (await looker.inspect()).controller === undefined);
    await using second = await worker.control();
    await second.client.releaseController();
    await using third = await worker.control();
    expect((await third.client.inspect()).controller).toBe("d-test");
  });
});

describe("data tokens", () => {
  test("open one stream each", async () => {
    await using worker = await WorkerUnderTest.start();
    await using session = await worker.run("printf ready; exec cat");
    await session.shows("ready");
    const { token } = await session.client.call("open_data_stream", {});
    using first = new RawConnection(worker.socketPath);
    first.send(`{"open":"${token}"}\n`);
    await until("the stream", () => first.text.includes("ready"));
    for (const used of [token, "made-up", ""]) {
      using second = new RawConnection(worker.socketPath);
      second.send(`${JSON.stringify({ open: used })}\n`);
      await second.hasClosed();
      expect(second.text).toContain("worker_invalid_data_token");
      expect(second.text).not.toContain("ready");
    }
  });

  test("may be followed by input in the same packet, and by no nonsense", async () => {
    await using worker = await WorkerUnderTest.start();
    await using session = await worker.run("stty -echo; printf ready; read x; echo got $x; exec cat");
    await session.shows("ready");
    const { token } = await session.client.call("open_data_stream", {});
    using raw = new RawConnection(worker.socketPath);
    const frame = Buffer.from([2, 0, 0, 0, 4, ...Buffer.from("hey\n")]);
    raw.send(Buffer.concat([Buffer.from(`{"open":"${token}"}\n`), frame]));
    await until("the echo", () => raw.text.includes("got hey"));
    raw.send(Buffer.from([77, 0, 0, 0, 1, 0]));
    await raw.hasClosed();
    expect(raw.text).toContain("worker_invalid_request");
    await session.type("still here\n");
    await session.shows("still here");
  });

  test("are refused before there is a program", async () => {
    await using worker = await WorkerUnderTest.start();
    await using session = await worker.control();
    const refused = await Viewer.attach(session.client).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: "worker_invalid_state" });
  });
});
