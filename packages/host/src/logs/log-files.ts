import { lstatSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

export interface LogFamilyLimits {
  readonly fileBytes: number;
  readonly files: number;
}

export const DAEMON_LOG = "pohunekd.jsonl";
const SESSION_LOG = /^pohunek-session-(?<id>[A-Za-z0-9_.-]+)\.jsonl(?:\.(?<rotation>\d+))?$/;
const DAEMON_ROTATION = /^pohunekd\.jsonl\.(?<rotation>\d+)$/;
/** Daily files of the releases before rotation by size. */
const LEGACY_DAEMON_LOG = /^pohunekd\.log\.\d{4}-\d{2}-\d{2}$/;

export function sessionLogName(sessionId: string): string {
  return `pohunek-session-${sessionId}.jsonl`;
}

/**
 * Removes what the limits no longer allow: rotations beyond the family's number or size, and legacy daily files. Only
 * regular files that `uid` owns are ever removed, so a symlink is neither followed nor deleted. Returns the names.
 */
export function pruneLogs(
  dir: string,
  uid: number,
  limits: { daemon: LogFamilyLimits; session: LogFamilyLimits },
): string[] {
  const removed: string[] = [];
  for (const name of readdirSync(dir)) {
    const daemonRotation = DAEMON_ROTATION.exec(name)?.groups?.["rotation"];
    const sessionRotation = SESSION_LOG.exec(name)?.groups?.["rotation"];
    const size = ownedFileSize(join(dir, name), uid);
    const isStale =
      LEGACY_DAEMON_LOG.test(name) ||
      (daemonRotation !== undefined && exceeds(limits.daemon, Number(daemonRotation), size)) ||
      (sessionRotation !== undefined && exceeds(limits.session, Number(sessionRotation), size));
    if (isStale && size !== undefined) {
      rmSync(join(dir, name), { force: true });
      removed.push(name);
    }
  }
  return removed;
}

function exceeds(limits: LogFamilyLimits, rotation: number, size: number | undefined): boolean {
  return rotation >= limits.files || (size ?? 0) > limits.fileBytes;
}

/** Deletes the log family of a removed session, its lock included. Call it only when the session's worker has ended. */
export function removeSessionLogs(dir: string, uid: number, sessionId: string): void {
  const current = sessionLogName(sessionId);
  for (const name of readdirSync(dir)) {
    const isOfFamily =
      name === `${current}.lock` || name === current || (name.startsWith(`${current}.`) && SESSION_LOG.test(name));
    if (isOfFamily && ownedFileSize(join(dir, name), uid) !== undefined) {
      rmSync(join(dir, name), { force: true });
    }
  }
}

function ownedFileSize(path: string, uid: number): number | undefined {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat?.isFile() && stat.uid === uid ? stat.size : undefined;
}
