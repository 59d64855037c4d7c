/** Names of runtimes and packages: lower-case letters, digits, `.`, `_`, `-`, at most 64 bytes, no `.` or `-` in front, no `..`. */

const ID = /^[a-z0-9_][a-z0-9._-]{0,63}$/;

export const RUNTIME_ID_MEANING = "lower-case letters, digits, '.', '_' and '-', at most 64, with no '..'";

export function isRuntimeId(text: string): boolean {
  return ID.test(text) && !text.includes("..");
}
