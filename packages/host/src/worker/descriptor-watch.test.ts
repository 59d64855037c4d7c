import { expect, test } from "bun:test";
import type { ReadinessSet, SocketCalls } from "../platform/index.ts";
import { DescriptorWatch } from "./descriptor-watch.ts";

/** Every descriptor is ready for all that is wanted of it. */
function readySockets(): SocketCalls {
  const ready: ReadinessSet = {
    clear: () => undefined,
    add: () => undefined,
    poll: () => 1,
    canRead: () => true,
    canWrite: () => true,
  };
  const sockets: Pick<SocketCalls, "openReadinessSet" | "signalReadiness"> = {
    openReadinessSet: () => ready,
    signalReadiness: () => undefined,
  };
  return sockets as SocketCalls;
}

function descriptor(fd: number, served: string[], readable: () => boolean = () => false) {
  return {
    fd,
    wantsRead: true,
    wantsWrite: true,
    readable: () => {
      served.push(`${fd} read`);
      return readable();
    },
    writable: () => served.push(`${fd} written`),
  };
}

test("a descriptor that fails to be served costs no other its turn, and is told", () => {
  const served: string[] = [];
  const watch = new DescriptorWatch(readySockets());
  let isBroken = true;
  watch.add(
    descriptor(3, served, () => {
      if (!isBroken) return false;
      isBroken = false;
      throw new Error("a bug");
    }),
  );
  watch.add(descriptor(4, served));
  expect(() => watch.serve()).toThrow("a bug");
  expect(served).toEqual(["3 written", "3 read", "4 written", "4 read"]);
});

test("a descriptor that another one has ended is not served", () => {
  const served: string[] = [];
  const watch = new DescriptorWatch(readySockets());
  const second = descriptor(4, served);
  watch.add(
    descriptor(3, served, () => {
      watch.remove(second);
      return false;
    }),
  );
  watch.add(second);
  watch.serve();
  expect(served).toEqual(["3 written", "3 read"]);
});
