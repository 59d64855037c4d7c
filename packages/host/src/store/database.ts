import { Database } from "bun:sqlite";
import { chmodSync, closeSync, copyFileSync, existsSync, fsyncSync, openSync, readSync, renameSync } from "node:fs";
import { dirname } from "node:path";
import type { ProtocolError } from "@pohunek/protocol/wire";
import { isProtocolError, protocolError } from "@pohunek/protocol/wire";
import type { Migration } from "./schema.ts";

export interface OpenedDatabase {
  readonly db: Database;
  /** Schema version found in the file, before any migration; 0 for a new store. */
  readonly foundVersion: number;
  /** Nobody else can open the store while we have it. */
  readonly isAlone: boolean;
  /** Path of the byte copy that was taken before migrating, when one was. */
  readonly backupPath?: string;
}

/** Offset of the big-endian `user_version` in an SQLite file's header (https://www.sqlite.org/fileformat.html, 1.3). */
const USER_VERSION_OFFSET = 60;
const HEADER_BYTES = 100;
const MAGIC = "SQLite format 3\0";

/** What SQLite says when it can't make the `-shm` file. */
const NO_ROOM_TO_SHARE: readonly string[] = ["SQLITE_IOERR_SHMSIZE", "SQLITE_IOERR_SHMOPEN", "SQLITE_IOERR_SHMMAP"];

/** How long a statement waits for a lock that another process holds: only an operator's `sqlite3` shell can hold one. */
const BUSY_TIMEOUT_MS = 2000;

/**
 * Opens the store, migrating it forward step by step when it is older. A store with a newer schema, or a file that is
 * no SQLite store, is refused before anything is written, the write-ahead log included.
 */
export function openDatabase(path: string, migrations: readonly Migration[]): OpenedDatabase {
  const current = migrations.length;
  if (existsSync(path)) {
    refuseNewer(path, readHeaderVersion(path), current);
  }
  const { db, isAlone } = openForUse(path);
  try {
    // The header can lag behind a commit that still sits in the write-ahead log, so the version is asked again here.
    const foundVersion = readVersion(db);
    refuseNewer(path, foundVersion, current);
    db.run("PRAGMA journal_mode = WAL");
    db.run("PRAGMA synchronous = FULL");
    const backupPath = foundVersion > 0 && foundVersion < current ? backUp(db, path, foundVersion) : undefined;
    migrate(db, foundVersion, migrations);
    return { db, foundVersion, isAlone, backupPath };
  } catch (cause) {
    db.close();
    throw explain(path, cause);
  }
}

/** On a full disk the file that readers share may have no room: then the store is opened without one, for us alone. */
function openForUse(path: string): { db: Database; isAlone: boolean } {
  try {
    return { db: open(path, "NORMAL"), isAlone: false };
  } catch (cause) {
    if (!NO_ROOM_TO_SHARE.includes(String((cause as { code?: unknown } | null)?.code))) {
      throw explain(path, cause);
    }
  }
  try {
    return { db: open(path, "EXCLUSIVE"), isAlone: true };
  } catch (cause) {
    throw explain(path, cause);
  }
}

function open(path: string, lockingMode: "NORMAL" | "EXCLUSIVE"): Database {
  const db = new Database(path, { create: true, readwrite: true, strict: true, safeIntegers: false });
  try {
    chmodSync(path, 0o600);
    db.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    db.run(`PRAGMA locking_mode = ${lockingMode}`);
    readVersion(db);
    return db;
  } catch (cause) {
    db.close();
    throw cause;
  }
}

/** What an operator can act on, in place of what SQLite says. */
function explain(path: string, cause: unknown): unknown {
  const code = (cause as { code?: unknown } | null)?.code;
  if (isProtocolError(cause) || typeof code !== "string" || !code.startsWith("SQLITE_")) {
    return cause;
  }
  if (code.startsWith("SQLITE_CORRUPT") || code === "SQLITE_NOTADB") {
    return unreadable(path, cause);
  }
  const recover = "Look whether the disk is full or read-only, and whether another program has the file open.";
  return protocolError("io_error", { message: `${path} can't be opened for writing (${code})`, recover, cause });
}

function unreadable(path: string, cause?: unknown): ProtocolError {
  return protocolError("store_unreadable", { message: `${path} is not a readable SQLite store`, cause });
}

function refuseNewer(path: string, found: number, current: number): void {
  if (found > current) {
    const message = `${path} has schema ${found}; this release knows up to ${current}`;
    throw protocolError("store_schema_newer", { message });
  }
}

/** Reads `user_version` from the file's bytes, so that a refused store is never opened by SQLite. */
function readHeaderVersion(path: string): number {
  const header = Buffer.alloc(HEADER_BYTES);
  const fd = openSync(path, "r");
  try {
    const count = readSync(fd, header, 0, HEADER_BYTES, 0);
    if (count === 0) {
      return 0;
    }
    if (count < HEADER_BYTES || header.toString("latin1", 0, MAGIC.length) !== MAGIC) {
      throw unreadable(path);
    }
    return header.readUInt32BE(USER_VERSION_OFFSET);
  } finally {
    closeSync(fd);
  }
}

function readVersion(db: Database): number {
  const row = db.query<{ user_version: number }, []>("PRAGMA user_version").get();
  return row?.user_version ?? 0;
}

/** Copies the store's bytes aside, once for each old version, so that an interrupted migration restarts from them. */
function backUp(db: Database, path: string, version: number): string {
  const target = `${path}.pre-schema-${version}`;
  if (existsSync(target)) {
    return target;
  }
  db.run("PRAGMA wal_checkpoint(TRUNCATE)");
  const partial = `${target}.partial`;
  copyFileSync(path, partial);
  chmodSync(partial, 0o600);
  syncPath(partial);
  renameSync(partial, target);
  syncPath(dirname(target));
  return target;
}

function migrate(db: Database, from: number, migrations: readonly Migration[]): void {
  const pending = migrations.filter((step) => step.version > from);
  const last = pending.at(-1);
  if (last === undefined) {
    return;
  }
  db.transaction(() => {
    for (const step of pending) {
      step.apply(db);
    }
    db.run(`PRAGMA user_version = ${last.version}`);
  }).exclusive();
  // Brings the new version into the header, where an older release looks for it.
  db.run("PRAGMA wal_checkpoint(TRUNCATE)");
}

function syncPath(path: string): void {
  const fd = openSync(path, "r");
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
