import { closeSync, fsyncSync, openSync } from "node:fs";
import type { FileCalls } from "../platform.ts";
import { SystemError } from "../system-error.ts";
import { check, errnoName, lastErrno, libc } from "./libc.ts";

const LOCK_EX = 2;
const LOCK_NB = 4;
const LOCK_UN = 8;

function tryLock(fd: number): boolean {
  if (libc.flock(fd, LOCK_EX | LOCK_NB) === 0) {
    return true;
  }
  const name = errnoName(lastErrno());
  if (name === "EAGAIN" || name === "EWOULDBLOCK") {
    return false;
  }
  throw new SystemError(name, "flock");
}

export const fileCalls: FileCalls = {
  tryLock,
  lock: (fd) => {
    check(libc.flock(fd, LOCK_EX), "flock");
  },
  unlock: (fd) => {
    check(libc.flock(fd, LOCK_UN), "flock");
  },
  syncDirectory: (path) => {
    const fd = openSync(path, "r");
    try {
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  },
};
