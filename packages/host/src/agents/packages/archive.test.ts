import { describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { constants, zstdCompressSync } from "node:zlib";
import { isProtocolError } from "@pohunek/protocol/wire";
import type { PackageFile } from "./archive.ts";
import { packArchive, unpackArchive } from "./archive.ts";
import { ARCHIVE_LIMITS } from "./archive-limits.ts";
import { makeHeader } from "./ustar.ts";

const file = (path: string, content: string | Uint8Array = path, isExecutable = false): PackageFile => ({
  path,
  content: typeof content === "string" ? Buffer.from(content) : content,
  isExecutable,
});
const FILES = [
  file("runtime.toml", "schema = 1\n"),
  file("bin/start", "#!/bin/sh\n", true),
  file("detection.toml", "x".repeat(512)),
  file("empty", ""),
];
const END = Buffer.alloc(1024);

async function refusal(action: () => unknown): Promise<string> {
  try {
    await action();
  } catch (cause) {
    if (isProtocolError(cause, "package_archive_invalid")) return cause.message;
    throw cause;
  }
  return "accepted";
}

/** Any bytes in a frame as ours are. */
function compress(tar: Uint8Array, params: Record<number, number> = {}): Buffer {
  return zstdCompressSync(tar, {
    params: { [constants.ZSTD_c_checksumFlag]: 1, ...params },
    pledgedSrcSize: tar.length,
  });
}

/** Bytes that do not compress, the same each time. */
function noise(bytes: number, from = 1): Buffer {
  const made = Buffer.alloc(bytes);
  let seed = from;
  for (let at = 0; at < bytes; at += 1) {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) | 0;
    made[at] = seed >>> 16;
  }
  return made;
}

const entry = (path: string, content = ""): Buffer =>
  Buffer.concat([
    makeHeader({ path, bytes: content.length, isExecutable: false }),
    Buffer.from(content),
    Buffer.alloc((512 - (content.length % 512)) % 512),
  ]);
const unpackTar = (...parts: Uint8Array[]): Promise<string> =>
  refusal(() => unpackArchive(compress(Buffer.concat([...parts, END]))));

describe("an archive", () => {
  test("gives back its files, sorted", async () => {
    const files = unpackArchive(await packArchive(FILES));
    expect(files.map(({ path, isExecutable }) => [path, isExecutable])).toEqual([
      ["bin/start", true],
      ["detection.toml", false],
      ["empty", false],
      ["runtime.toml", false],
    ]);
    expect(files.map(({ content }) => Buffer.from(content).toString())).toEqual([
      "#!/bin/sh\n",
      "x".repeat(512),
      "",
      "schema = 1\n",
    ]);
  });

  test("of the same files has the same bytes, in whatever order they come", async () => {
    const first = await packArchive(FILES);
    for (const order of [FILES.toReversed(), [...FILES.slice(2), ...FILES.slice(0, 2)]]) {
      expect(Buffer.from(await packArchive(order)).equals(first)).toBe(true);
    }
    const other = await packArchive([...FILES.slice(1), file("runtime.toml", "schema = 2\n")]);
    expect(Buffer.from(other).equals(first)).toBe(false);
  });

  test("is one that tar reads", async () => {
    const folder = mkdtempSync(join(tmpdir(), "archive-"));
    try {
      const path = join(folder, "a.tar");
      writeFileSync(path, Bun.zstdDecompressSync(await packArchive(FILES)));
      const { stdout, exitCode } = Bun.spawnSync(["tar", "-tvf", path], { env: { PATH: "/usr/bin:/bin", TZ: "UTC" } });
      const lines = stdout.toString().trim().split("\n");
      expect(exitCode).toBe(0);
      expect(lines.map((line) => line.split(/\s+/).at(-1))).toEqual([
        "bin/start",
        "detection.toml",
        "empty",
        "runtime.toml",
      ]);
      expect(lines[0]).toMatch(/^-rwxr-xr-x 0\/0 +10 1970-01-01/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe("refused before anything is unpacked:", () => {
  test("what is not exactly one frame", async () => {
    const archive = Buffer.from(await packArchive(FILES));
    const skippable = Buffer.from("502a4d1800000000", "hex");
    const others = [
      Buffer.alloc(0),
      Buffer.from("no archive at all"),
      archive.subarray(0, -1),
      Buffer.concat([archive, Buffer.alloc(1)]),
      Buffer.concat([archive, archive]),
      Buffer.concat([skippable, archive]),
      Buffer.concat([archive, skippable]),
      compress(Buffer.concat([entry("a"), END]), { [constants.ZSTD_c_checksumFlag]: 0 }),
      compress(Buffer.concat([entry("a"), END]), { [constants.ZSTD_c_contentSizeFlag]: 0 }),
    ];
    for (const bytes of others)
      expect(await refusal(() => unpackArchive(bytes))).toContain("not exactly one zstd frame");
  });

  test("a bomb: a tar that says or holds more than a hundred times its archive", async () => {
    const bomb = compress(Buffer.concat([entry("a", "\0".repeat(1024 * 1024)), END]));
    expect(bomb.length).toBeLessThan(2000);
    expect(await refusal(() => unpackArchive(bomb))).toBe("the archive is compressed too much");
    expect(await refusal(() => packArchive([file("zeros", new Uint8Array(1024 * 1024))]))).toContain(
      "compressed too much",
    );
  });

  test("a frame that says less than it holds", async () => {
    const lying = Buffer.from(compress(Buffer.concat([entry("a", "b".repeat(300)), END])));
    const sizeAt = lying.readUInt8(4) >> 6 === 1 ? ((lying.readUInt8(4) & 0x20) === 0 ? 6 : 5) : -1;
    expect(sizeAt).toBeGreaterThan(0);
    lying.writeUInt16LE(100, sizeAt);
    expect(await refusal(() => unpackArchive(lying))).toBe("the archive cannot be decompressed");
  });

  test("more than 8 MiB", async () => {
    const content = noise(ARCHIVE_LIMITS.compressedBytes);
    expect(await refusal(() => packArchive([file("noise", content)]))).toBe("the archive is too large");
    const exact = new Uint8Array(ARCHIVE_LIMITS.compressedBytes + 1);
    expect(await refusal(() => unpackArchive(exact))).toBe("the archive is too large");
  });

  test("a flipped bit anywhere, but for the bits that mean nothing to a decompressor", async () => {
    const archive = Buffer.from(await packArchive(FILES));
    const whole = unpackArchive(archive);
    const refused = [...archive].filter((_byte, at) => {
      const bytes = Buffer.from(archive);
      bytes[at] = bytes.readUInt8(at) ^ 1;
      try {
        expect(unpackArchive(bytes)).toEqual(whole);
        return false;
      } catch (cause) {
        expect(isProtocolError(cause, "package_archive_invalid")).toBe(true);
        return true;
      }
    });
    expect(refused.length).toBeGreaterThan(archive.length - 3);
  });
});

describe("refused inside:", () => {
  test("every header that differs in a single byte", async () => {
    const header = Buffer.from(makeHeader({ path: "a", bytes: 0, isExecutable: false }));
    for (let at = 1; at < header.length; at += 1) {
      const changed = Buffer.from(header);
      changed[at] = changed.readUInt8(at) ^ 1;
      expect(await unpackTar(changed)).toBe("the archive holds a header that is not in the one allowed form");
    }
  });

  test("links, folders and devices, though their checksum is right", async () => {
    for (const kind of ["1", "2", "3", "4", "5", "6", "x", "L", "\0"]) {
      const header = Buffer.from(makeHeader({ path: "a", bytes: 0, isExecutable: false }));
      header.write(kind, 156, "latin1");
      header.fill(0x20, 148, 156);
      const sum = header.reduce((total, byte) => total + byte, 0);
      header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
      expect(await unpackTar(header)).toContain("not in the one allowed form");
    }
  });

  test("paths that lead out or that a file system may confuse", async () => {
    for (const path of [
      "/etc/passwd",
      "../a",
      "a/../b",
      "a/./b",
      "a//b",
      "a/",
      ".",
      "a\\b",
      "caf\u00e9",
      "a\u0001",
      "",
    ]) {
      expect(await unpackTar(entry(path))).toMatch(/path that is not allowed|allowed form/);
      expect(await refusal(() => packArchive([file(path)]))).toContain("path that is not allowed");
    }
    expect(await unpackTar(entry("A"), entry("a"))).toContain("differ only in case");
    expect(await unpackTar(entry("A/x"), entry("a/y"))).toContain("differ only in case");
    expect(await unpackTar(entry("a"), entry("a/b"))).toContain("a file where it needs a folder");
    expect(await unpackTar(entry("b"), entry("a"))).toContain("not sorted");
    expect(await unpackTar(entry("a"), entry("a"))).toContain("not sorted");
  });

  test("a path of 101 bytes, not one of 100", async () => {
    expect(await refusal(() => packArchive([file("a".repeat(100), "content")]))).toBe("accepted");
    expect(await refusal(() => packArchive([file("a".repeat(101), "content")]))).toContain("path that is not allowed");
  });

  test("513 files, not 512", async () => {
    const files = Array.from({ length: 513 }, (_value, index) => file(`f${index}`, noise(index, index)));
    expect(unpackArchive(await packArchive(files.slice(1)))).toHaveLength(512);
    expect(await refusal(() => packArchive(files))).toContain("too many files");
    const names = files.map(({ path }) => path).toSorted();
    const tar = Buffer.concat([
      ...names.map((path) => entry(path, noise(32, path.length * Number(path.slice(1))).toString("hex"))),
      END,
    ]);
    expect(await refusal(() => unpackArchive(compress(tar)))).toContain("too many files");
  });

  test("an end that is missing, too short or not empty", async () => {
    const body = entry("a", "text");
    const ends = [Buffer.alloc(0), Buffer.alloc(512), Buffer.alloc(1536), Buffer.alloc(1024, 1)];
    for (const end of ends) {
      expect(await refusal(() => unpackArchive(compress(Buffer.concat([body, end]))))).toMatch(
        /does not end in two empty blocks|allowed form/,
      );
    }
    const padded = Buffer.from(body);
    padded[513 + 4] = 7;
    expect(await unpackTar(padded)).toContain("cut off");
    expect(await unpackTar()).toContain("is empty");
  });
});
