import { ptr } from "bun:ffi";
import { check, libc } from "./libc.ts";

const AF_UNIX = 1;
const SOCK_DGRAM = 2;
const SOCK_CLOEXEC = 0x80000;

/** Sends one datagram as sd_notify(3) does. An address that begins with `@` is an abstract one. */
export function notifyServiceManager(address: string, state: string): void {
  const path = new TextEncoder().encode(address);
  const name = new Uint8Array(2 + path.length);
  new DataView(name.buffer).setUint16(0, AF_UNIX, true);
  name.set(path, 2);
  if (address.startsWith("@")) {
    name[2] = 0;
  }
  const fd = check(libc.socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0), "socket");
  try {
    check(libc.connect(fd, ptr(name), name.length), "connect");
    const message = new TextEncoder().encode(state);
    check(Number(libc.write(fd, ptr(message), message.length)), "write");
  } finally {
    libc.close(fd);
  }
}
