import { ptr } from "bun:ffi";
import { constants } from "node:os";
import type { SocketCalls } from "../platform.ts";
import { WOULD_BLOCK } from "../platform.ts";
import { SystemError } from "../system-error.ts";
import { DescriptorMessage } from "./descriptor-message.ts";
import { check, cString, errnoName, lastErrno, libc } from "./libc.ts";
import { PollSet } from "./poll-set.ts";

const AF_UNIX = 1;
const SOCK_STREAM = 1;
const SOCK_NONBLOCK = 0x800;
const SOCK_CLOEXEC = 0x80000;
const MSG_DONTWAIT = 0x40;
const MSG_NOSIGNAL = 0x4000;
const MSG_CMSG_CLOEXEC = 0x40000000;
const F_GETFL = 3;
const F_SETFL = 4;
const F_SETOWN = 8;
const O_ASYNC = 0x2000;
const BACKLOG = 128;
const { EAGAIN, EINTR } = constants.errno;

function listen(path: string): number {
  const fd = check(libc.socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), "socket");
  try {
    const encoded = cString(path);
    const address = new Uint8Array(2 + encoded.length);
    new DataView(address.buffer).setUint16(0, AF_UNIX, true);
    address.set(encoded, 2);
    check(libc.bind(fd, ptr(address), address.length), "bind");
    check(libc.listen(fd, BACKLOG), "listen");
    return fd;
  } catch (cause) {
    libc.close(fd);
    throw cause;
  }
}

function orWouldBlock(result: number, syscall: string): number {
  if (result >= 0) {
    return result;
  }
  const errno = lastErrno();
  if (errno === EAGAIN || errno === EINTR) {
    return WOULD_BLOCK;
  }
  throw new SystemError(errnoName(errno), syscall);
}

function receiveWithDescriptor(fd: number, target: Uint8Array): { bytes: number; descriptor?: number } {
  const message = new DescriptorMessage(target);
  const result = Number(libc.recvmsg(fd, message.pointer, MSG_DONTWAIT | MSG_CMSG_CLOEXEC));
  const bytes = orWouldBlock(result, "recvmsg");
  const descriptor = bytes === WOULD_BLOCK ? undefined : message.takeDescriptor();
  return descriptor === undefined ? { bytes } : { bytes, descriptor };
}

function sendWithDescriptor(fd: number, bytes: Uint8Array, descriptor: number): boolean {
  const message = new DescriptorMessage(bytes, descriptor);
  const sent = orWouldBlock(Number(libc.sendmsg(fd, message.pointer, MSG_DONTWAIT | MSG_NOSIGNAL)), "sendmsg");
  if (sent !== WOULD_BLOCK && sent < bytes.length) {
    throw new SystemError("EMSGSIZE", "sendmsg");
  }
  return sent !== WOULD_BLOCK;
}

function signalReadiness(fd: number, isWanted: boolean): void {
  check(libc.fcntl(fd, F_SETOWN, process.pid), "fcntl F_SETOWN");
  const flags = check(libc.fcntl(fd, F_GETFL, 0), "fcntl F_GETFL");
  check(libc.fcntl(fd, F_SETFL, isWanted ? flags | O_ASYNC : flags & ~O_ASYNC), "fcntl F_SETFL");
}

export const socketCalls: SocketCalls = {
  listen,
  accept: (listener) => orWouldBlock(libc.accept4(listener, null, null, SOCK_NONBLOCK | SOCK_CLOEXEC), "accept"),
  receive: (fd, target) => orWouldBlock(Number(libc.recv(fd, ptr(target), target.length, MSG_DONTWAIT)), "recv"),
  send: (fd, bytes) => {
    if (bytes.length === 0) {
      return 0;
    }
    return orWouldBlock(Number(libc.send(fd, ptr(bytes), bytes.length, MSG_DONTWAIT | MSG_NOSIGNAL)), "send");
  },
  receiveWithDescriptor,
  sendWithDescriptor,
  signalReadiness,
  openReadinessSet: () => new PollSet(),
  close: (fd) => {
    libc.close(fd);
  },
};
