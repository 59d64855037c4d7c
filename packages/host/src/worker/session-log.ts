import { closeSync, constants, mkdirSync, openSync } from "node:fs";
import type { SessionId } from "@pohunek/protocol/wire";
import { sessionLogName } from "../logs/log-files.ts";
import type { Logger } from "../logs/logger.ts";
import { createLogger } from "../logs/logger.ts";
import type { LogLock } from "../logs/rotating-log.ts";
import { RotatingLog } from "../logs/rotating-log.ts";
import type { Platform } from "../platform/index.ts";

export interface SessionLogOptions {
  readonly dir: string;
  readonly sessionId: SessionId;
  readonly platform: Platform;
  readonly fileBytes?: number;
}

/** 4 files of 4 MiB: all generations of a session together take no more than 16 MiB. */
const FILE_BYTES = 4_194_304;
const FILES = 4;

export interface SessionLog extends Disposable {
  readonly logger: Logger;
  /** Lines that could not be written. */
  readonly dropped: number;
}

/** The log family of a session, which its generations share. Never holds terminal content, argv or environment. */
export function openSessionLog(options: SessionLogOptions): SessionLog {
  const path = `${options.dir}/${sessionLogName(options.sessionId)}`;
  const fileBytes = options.fileBytes ?? FILE_BYTES;
  const lock = familyLock(`${path}.lock`, options);
  const log = new RotatingLog({ path, fileBytes, files: FILES, lock });
  return {
    logger: createLogger(log, "info"),
    get dropped() {
      return log.dropped;
    },
    [Symbol.dispose]: () => log[Symbol.dispose](),
  };
}

/** Two generations of a session may write at once; the kernel drops the lock of one that dies. */
function familyLock(path: string, { dir, platform }: SessionLogOptions): LogLock {
  return {
    run: (body) => {
      mkdirSync(dir, { recursive: true, mode: 0o700 });
      const fd = openSync(path, constants.O_CREAT | constants.O_RDWR | constants.O_NOFOLLOW, 0o600);
      try {
        platform.files.lock(fd);
        body();
      } finally {
        closeSync(fd);
      }
    },
  };
}
