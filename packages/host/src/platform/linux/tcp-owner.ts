import { readFileSync } from "node:fs";
import type { TcpEnd } from "../platform.ts";

const TABLES = ["/proc/net/tcp", "/proc/net/tcp6"];
const WORD_HEX = 8;

/** The kernel lists the connections of this network namespace: an end that is not in them is on another machine. */
export function readTcpOwner(near: TcpEnd, far: TcpEnd): number | undefined {
  for (const table of TABLES) {
    for (const row of readTable(table).slice(1)) {
      const [, local = "", remote = "", , , , , uid] = row.trim().split(/\s+/);
      if (uid !== undefined && isEnd(local, far) && isEnd(remote, near)) {
        return Number(uid);
      }
    }
  }
  return undefined;
}

function readTable(path: string): string[] {
  try {
    return readFileSync(path, "utf8").split("\n");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") {
      return []; // A kernel without IPv6 has no such table.
    }
    throw cause;
  }
}

/** Addresses are 32-bit words in the machine's byte order, in hexadecimal; an IPv4 address may be mapped into an IPv6 one. */
function isEnd(text: string, end: TcpEnd): boolean {
  const [address = "", port = ""] = text.split(":");
  if (Number.parseInt(port, 16) !== end.port) {
    return false;
  }
  const wanted = wordsOf(end.address);
  const found = Array.from({ length: address.length / WORD_HEX }, (_, index) =>
    address.slice(index * WORD_HEX, (index + 1) * WORD_HEX),
  );
  return sameAddress(found.map(swapBytes), wanted);
}

function swapBytes(word: string): number {
  return Number.parseInt(word.replace(/(..)(..)(..)(..)/, "$4$3$2$1"), 16);
}

const MAPPED_PREFIX = [0, 0, 0xffff];

function sameAddress(left: readonly number[], right: readonly number[]): boolean {
  return plain(left).join() === plain(right).join();
}

function plain(words: readonly number[]): readonly number[] {
  const isMapped = words.length === 4 && MAPPED_PREFIX.every((word, index) => words[index] === word);
  return isMapped ? words.slice(3) : words;
}

/** Addresses come from the kernel, so their form is enough; node:net would cost every worker more than a megabyte. */
const IPV4 = /^\d{1,3}(?:\.\d{1,3}){3}$/;
const IPV6 = /^[\da-f:]*:[\da-f:]*(?:\d{1,3}(?:\.\d{1,3}){3})?$/i;

/** Big-endian 32-bit words of an address in text; empty for what is no address. */
function wordsOf(address: string): number[] {
  if (IPV4.test(address)) {
    return [ipv4Word(address)];
  }
  const [text = ""] = address.split("%");
  return IPV6.test(text) ? ipv6Words(text) : [];
}

function ipv4Word(address: string): number {
  return address.split(".").reduce((word, part) => word * 256 + Number(part), 0);
}

function ipv6Words(address: string): number[] {
  const last = address.slice(address.lastIndexOf(":") + 1);
  const tail = IPV4.test(last)
    ? [ipv4Word(last) >>> 16, ipv4Word(last) & 0xffff].map((part) => part.toString(16)).join(":")
    : last;
  const [head = "", rest] = `${address.slice(0, address.lastIndexOf(":") + 1)}${tail}`.split("::");
  const front = head.split(":").filter((part) => part !== "");
  const back = (rest ?? "").split(":").filter((part) => part !== "");
  const groups = [...front, ...Array.from({ length: 8 - front.length - back.length }, () => "0"), ...back].map((part) =>
    Number.parseInt(part, 16),
  );
  return [0, 2, 4, 6].map((index) => (groups[index] ?? 0) * 65_536 + (groups[index + 1] ?? 0));
}
