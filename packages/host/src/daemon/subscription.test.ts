import { expect, test } from "bun:test";
import type { AnnouncedEvent } from "@pohunek/protocol";
import { EventBus } from "./event-bus.ts";
import { OutQueue } from "./out-queue.ts";
import { Subscription } from "./subscription.ts";

/** A socket that takes only so many bytes until more room is given. */
class NarrowSocket {
  room: number;
  taken = "";

  constructor(room: number) {
    this.room = room;
  }

  write(all: Uint8Array): number {
    const part = all.subarray(0, this.room);
    this.room -= part.length;
    this.taken += new TextDecoder().decode(part);
    return part.length;
  }
}

const line = (text: string): Uint8Array => new TextEncoder().encode(`${text}\n`);

test("what a socket does not take waits, in order, and is a copy", async () => {
  const socket = new NarrowSocket(4);
  const out = new OutQueue(socket);
  const first = line("abcdef");
  out.write(first);
  first.fill(0);
  out.write(line("gh"));
  expect(socket.taken).toBe("abcd");
  expect(out.pendingBytes).toBe(6);
  const emptied = out.whenEmpty().then(() => "empty");
  socket.room = 100;
  out.drain();
  expect(await emptied).toBe("empty");
  expect(socket.taken).toBe("abcdef\ngh\n");
});

test("a closed queue takes nothing and keeps nobody waiting", async () => {
  const socket = new NarrowSocket(1);
  const out = new OutQueue(socket);
  out.write(line("abc"));
  const emptied = out.whenEmpty();
  out.close();
  await emptied;
  out.write(line("def"));
  expect(out.pendingBytes).toBe(0);
});

test("events are held until the subscription is acknowledged", () => {
  const socket = new NarrowSocket(1000);
  const out = new OutQueue(socket);
  const subscription = new Subscription(4, out);
  subscription.deliver(line("event"));
  out.write(line("acknowledged"));
  subscription.release();
  expect(socket.taken).toBe("acknowledged\nevent\n");
});

test("a subscriber that does not read loses the oldest events, and gets the newest when it reads again", () => {
  const socket = new NarrowSocket(0);
  const out = new OutQueue(socket);
  const subscription = new Subscription(4, out);
  subscription.release();
  for (let index = 0; index < 5000; index += 1) {
    subscription.deliver(line(`event ${index}`));
  }
  expect(subscription.dropped).toBe(5000 - 1024 - 1);
  socket.room = 1_000_000;
  out.drain();
  subscription.flush();
  const events = socket.taken.trimEnd().split("\n");
  expect(events[0]).toBe("event 0");
  expect(events.at(-1)).toBe("event 4999");
  expect(events.length).toBe(1025);
});

test("each subscriber gets events in the shape of its version", () => {
  const bus = new EventBus();
  const seen: [number, string][] = [];
  const sink = (version: number) => ({
    version,
    deliver: (bytes: Uint8Array) => void seen.push([version, new TextDecoder().decode(bytes)]),
  });
  const newer = bus.subscribe(sink(4));
  bus.subscribe(sink(3));
  const event: AnnouncedEvent = {
    event: "agent_state",
    payload: {
      session_id: "s-1",
      activity: "idle",
      source: "process",
      runtime: { worker_instance_id: "w-1", runtime_generation: "1" as never },
    },
  };
  bus.announce(event);
  expect(
    seen.map(([version, text]) => [version, text.includes("worker_instance_id"), text.includes('"runtime_id"')]),
  ).toEqual([
    [4, true, false],
    [3, false, true],
  ]);
  newer[Symbol.dispose]();
  expect(bus.subscriberCount).toBe(1);
});
