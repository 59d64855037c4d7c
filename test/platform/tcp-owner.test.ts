import { expect, test } from "bun:test";
import type { AddressInfo } from "node:net";
import { connect, createServer } from "node:net";
import type { TcpEnd } from "../../packages/host/src/platform/index.ts";
import { platform } from "../../packages/host/src/platform/index.ts";

const end = (address: string | undefined, port: number | undefined): TcpEnd => ({
  address: address ?? "",
  port: port ?? 0,
});

test.each(["127.0.0.1", "::1"])("the kernel names the owner of the far end of a connection over %s", async (host) => {
  const accepted = Promise.withResolvers<{ near: TcpEnd; far: TcpEnd }>();
  const server = createServer((socket) => {
    accepted.resolve({
      near: end(socket.localAddress, socket.localPort),
      far: end(socket.remoteAddress, socket.remotePort),
    });
  });
  const { promise: isListening, resolve } = Promise.withResolvers<void>();
  server.listen(0, host, resolve);
  await isListening;
  const { port } = server.address() as AddressInfo;
  const socket = connect(port, host);
  try {
    const { near, far } = await accepted.promise;
    expect(platform.readTcpOwner(near, far)).toBe(process.getuid?.() ?? -1);
    const mapped = host === "127.0.0.1" ? "::ffff:127.0.0.1" : host;
    expect(platform.readTcpOwner(near, { ...far, address: mapped })).toBe(process.getuid?.() ?? -1);
    expect(platform.readTcpOwner(near, { ...far, port: 1 })).toBeUndefined();
    expect(platform.readTcpOwner(near, { ...far, address: "not an address" })).toBeUndefined();
  } finally {
    socket.destroy();
    server.close();
  }
});
