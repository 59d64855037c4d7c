import { ptr } from "bun:ffi";
import { constants } from "node:os";
import type { LineDiscipline, PtyCalls, PtyPair, PtyReader, WindowSize } from "../platform.ts";
import { WOULD_BLOCK } from "../platform.ts";
import { SystemError } from "../system-error.ts";
import { check, checkReturned, cString, errnoName, lastErrno, libc } from "./libc.ts";
import { PollSet } from "./poll-set.ts";

const O_RDWR = 0x2;
const O_NOCTTY = 0x100;
const O_NONBLOCK = 0x800;
const O_CLOEXEC = 0x80000;
const TIOCGWINSZ = 0x5413;
const TIOCSWINSZ = 0x5414;
const TIOCSIG = 0x40045436;
const TCSANOW = 0;
const TCIFLUSH = 0;

const { EAGAIN, EINTR, EIO } = constants.errno;

/** struct termios: four u32 flag words, c_line, c_cc[32], two speeds; larger than any libc's. */
const TERMIOS_BYTES = 64;
const INPUT_FLAGS = 0;
const LOCAL_FLAGS = 12;
const CONTROL_CHARACTERS = 17;
const IUTF8 = 0x4000;
const ISIG = 0x1;
const ICANON = 0x2;
const NOFLSH = 0x80;
const VINTR = 0;
const VQUIT = 1;
const VSUSP = 10;

function open(size: WindowSize): PtyPair {
  const master = check(libc.posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC), "posix_openpt");
  try {
    check(libc.grantpt(master), "grantpt");
    check(libc.unlockpt(master), "unlockpt");
    const slavePath = readSlavePath(master);
    const slave = check(libc.open(ptr(cString(slavePath)), O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC, 0), "open");
    enableUtf8(slave);
    setSize(master, size);
    return { master, slave, slavePath };
  } catch (cause) {
    libc.close(master);
    throw cause;
  }
}

function readSlavePath(master: number): string {
  const name = new Uint8Array(128);
  checkReturned(libc.ptsname_r(master, ptr(name), name.length), "ptsname_r");
  return new TextDecoder().decode(name.subarray(0, name.indexOf(0)));
}

/** Erasing a character in the kernel's line editing takes all of its bytes, as in any terminal emulator. */
function enableUtf8(slave: number): void {
  const termios = readTermios(slave);
  termios.setUint32(INPUT_FLAGS, termios.getUint32(INPUT_FLAGS, true) | IUTF8, true);
  check(libc.tcsetattr(slave, TCSANOW, ptr(new Uint8Array(termios.buffer))), "tcsetattr");
}

function readTermios(fd: number): DataView<ArrayBuffer> {
  const bytes = new Uint8Array(TERMIOS_BYTES);
  check(libc.tcgetattr(fd, ptr(bytes)), "tcgetattr");
  return new DataView(bytes.buffer);
}

function setSize(fd: number, size: WindowSize): void {
  check(libc.ioctl(fd, TIOCSWINSZ, ptr(new Uint16Array([size.rows, size.cols, 0, 0]))), "ioctl TIOCSWINSZ");
}

function readSize(fd: number): WindowSize {
  const size = new Uint16Array(4);
  check(libc.ioctl(fd, TIOCGWINSZ, ptr(size)), "ioctl TIOCGWINSZ");
  return { rows: size[0] ?? 0, cols: size[1] ?? 0 };
}

function foregroundGroup(fd: number): number | undefined {
  // 0 and -1: no group, or one of another pid namespace.
  const group = libc.tcgetpgrp(fd);
  return group > 0 ? group : undefined;
}

function lineDiscipline(fd: number): LineDiscipline {
  const termios = readTermios(fd);
  const local = termios.getUint32(LOCAL_FLAGS, true);
  return {
    isCanonical: (local & ICANON) !== 0,
    hasSignals: (local & ISIG) !== 0,
    keepsInputOnSignal: (local & NOFLSH) !== 0,
    interruptByte: termios.getUint8(CONTROL_CHARACTERS + VINTR),
    quitByte: termios.getUint8(CONTROL_CHARACTERS + VQUIT),
    suspendByte: termios.getUint8(CONTROL_CHARACTERS + VSUSP),
  };
}

function wouldBlockOrThrow(errno: number, syscall: string): typeof WOULD_BLOCK {
  if (errno === EAGAIN || errno === EINTR) {
    return WOULD_BLOCK;
  }
  throw new SystemError(errnoName(errno), syscall);
}

function writeNow(master: number, bytes: Uint8Array): number {
  if (bytes.length === 0) {
    return 0;
  }
  const written = Number(libc.write(master, ptr(bytes), bytes.length));
  return written < 0 ? wouldBlockOrThrow(lastErrno(), "write") : written;
}

/** Memory for one call; nothing in it is of use to the next. */
const settling = new PollSet();

function settleInput(slave: number): void {
  settling.clear();
  settling.add(slave, true, false);
  // To answer a poll that finds nothing, the kernel runs the work that is queued for this side (tty_buffer_flush_work).
  settling.poll();
}

function closePair(pair: PtyPair): void {
  libc.close(pair.slave);
  libc.close(pair.master);
}

function openReader(master: number): PtyReader {
  let memory: ArrayBufferLike | undefined;
  let base = 0;
  return {
    readNow: (target, offset) => {
      if (memory !== target.buffer) {
        memory = target.buffer;
        base = ptr(memory);
      }
      const start = base + target.byteOffset;
      const [filled, errno] = fill(master, { start, from: offset, to: target.length });
      if (filled > 0 || errno === 0 || errno === EIO) {
        // EIO is how Linux tells the reader of a master that no slave is open any more.
        return filled;
      }
      return wouldBlockOrThrow(errno, "read");
    },
  };
}

/** Reads until the memory is full or a read gives nothing: a single read of a terminal gives 4 KB at most. */
function fill(master: number, memory: { start: number; from: number; to: number }): readonly [number, number] {
  let at = memory.from;
  while (at < memory.to) {
    const got = Number(libc.read(master, (memory.start + at) as never, memory.to - at));
    if (got <= 0) {
      return [at - memory.from, got < 0 ? lastErrno() : 0];
    }
    at += got;
  }
  return [at - memory.from, 0];
}

export const ptyCalls: PtyCalls = {
  open,
  setSize,
  readSize,
  foregroundGroup,
  lineDiscipline,
  flushInput: (slave) => {
    check(libc.tcflush(slave, TCIFLUSH), "tcflush");
  },
  signalForeground: (master, signal) => {
    check(libc.ioctl(master, TIOCSIG, signal as never), "ioctl TIOCSIG");
  },
  writeNow,
  settleInput,
  close: closePair,
  openReader,
};
