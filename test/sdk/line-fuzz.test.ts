import { expect, test } from "bun:test";
import { createConnection } from "node:net";
import { encodeLine, encodeUtf8, LineDecoder, parseRequestEnvelope, parseResponse } from "@pohunek/protocol/wire";
import { connect } from "@pohunek/sdk";
import { unixTransport } from "@pohunek/sdk/node";
import { NO_ANSWER, ProtocolServer } from "./protocol-server.ts";
import type { Random } from "./random.ts";
import { createRandom } from "./random.ts";

const SEED = 20_260_801;

const valid = { v: { minimum: 3, maximum: 4 }, id: "r-1", method: "session.list", params: { filters: [] } };

/** A line that is a request, or was one before something happened to it. */
function mangledLine(random: Random): Uint8Array {
  const line = encodeLine(valid).slice(0, -1);
  switch (random(6)) {
    case 0:
      return line;
    case 1:
      return line.slice(0, random(line.length));
    case 2:
      line[random(line.length)] = random(256);
      return line.filter((byte) => byte !== 0x0a);
    case 3:
      return Uint8Array.from({ length: random(200) }, () => random(256)).filter((byte) => byte !== 0x0a);
    case 4:
      return encodeUtf8(
        JSON.stringify({ ...valid, [["v", "id", "method", "extra"][random(4)] ?? "v"]: random(2) === 0 ? null : [] }),
      );
    default:
      return new Uint8Array(0);
  }
}

/** Cuts bytes into pieces of random lengths. */
function* pieces(bytes: Uint8Array, random: Random): Generator<Uint8Array> {
  for (let start = 0; start < bytes.length; ) {
    const end = Math.min(bytes.length, start + 1 + random(80));
    yield bytes.slice(start, end);
    start = end;
  }
}

function joinLines(lines: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(lines.flatMap((line) => [...line, 0x0a]));
}

test("random lines in random pieces are cut as they were joined, and reading them never throws", () => {
  const random = createRandom(SEED);
  let requests = 0;
  for (let round = 0; round < 300; round += 1) {
    const lines = Array.from({ length: 1 + random(20) }, () => mangledLine(random));
    const decoder = new LineDecoder();
    const cut: string[] = [];
    for (const piece of pieces(joinLines(lines), random)) {
      for (const line of decoder.push(piece)) {
        cut.push(line.toHex());
        if (parseRequestEnvelope(line).invalid === undefined) requests += 1;
      }
    }
    expect(cut).toEqual(lines.map((line) => line.toHex()));
    expect(decoder.pendingBytes).toBe(0);
  }
  expect(requests).toBeGreaterThan(300);
});

test("every line sent to a daemon is answered with one line, whatever it is", async () => {
  const random = createRandom(SEED + 1);
  await using server = await ProtocolServer.start({ handlers: { "session.list": () => [] } });
  const lines = Array.from({ length: 400 }, () => mangledLine(random));
  const expected = lines.map((line) => parseRequestEnvelope(line).id);
  const socket = createConnection({ path: server.socketPath });
  const answers: string[] = [];
  const all = Promise.withResolvers<void>();
  const decoder = new LineDecoder();
  socket.on("data", (chunk: Uint8Array) => {
    for (const line of decoder.push(chunk))
      answers.push(parseResponse(JSON.parse(new TextDecoder().decode(line)))?.id ?? "(none)");
    if (answers.length === lines.length) all.resolve();
  });
  for (const piece of pieces(joinLines(lines), random)) socket.write(piece);
  await all.promise;
  socket.destroy();
  expect(answers.toSorted()).toEqual(expected.toSorted());
});

test("a client fails what is pending when a daemon talks nonsense, and never otherwise", async () => {
  const random = createRandom(SEED + 2);
  for (let round = 0; round < 60; round += 1) {
    const nonsense = joinLines(Array.from({ length: 1 + random(4) }, () => mangledLine(random)));
    await using server = await ProtocolServer.start({
      handlers: {
        "session.list": (_params, { socket }) => {
          for (const piece of pieces(nonsense, random)) socket.write(piece);
          return NO_ANSWER;
        },
      },
    });
    await using client = await connect({ transport: unixTransport(server.socketPath) });
    const failures = await Promise.allSettled([client.call("session.list"), client.call("session.stop", "s-1")]);
    for (const failure of failures)
      expect(failure).toMatchObject({ status: "rejected", reason: { name: "ProtocolError", code: "framing" } });
  }
}, 20_000);
